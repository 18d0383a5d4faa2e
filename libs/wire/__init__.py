"""Dataclasses of the kernel ⇄ protobuf messages: the only code that knows both."""
