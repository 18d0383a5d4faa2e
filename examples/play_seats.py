"""A gateway plays seats, `match seat token` a line of standard input, over one Session stream."""

import queue
import sys
from uuid import uuid4

import grpc
from paiju.match.v1 import match_pb2 as pb
from paiju.match.v1.match_pb2_grpc import MatchServiceStub

requests = queue.SimpleQueue()  # what goes up the stream


def command(update, **kind):
    """Sends a seat's command; its reply comes down the stream under the same command_id."""
    sent = pb.SessionRequest.Command(match_id=update.match_id, seat=update.seat, **kind)
    sent.command_id = str(uuid4())
    requests.put(pb.SessionRequest(commands=[sent]))


def answer(update, prompt):
    """Takes a win when there is one, else what a timeout would take."""
    kinds = [choice.WhichOneof("kind") for choice in prompt.choices]
    index = kinds.index("hu") if "hu" in kinds else prompt.default_choice
    command(update, answer=pb.Answer(prompt_id=prompt.prompt_id, index=index))


def check(update):
    """Ends the program on a refusal, except of a command that came too late: then somebody
    else's answer settled the question first."""
    reply = update.reply
    late = reply.command_id and reply.error.code == grpc.StatusCode.FAILED_PRECONDITION.value[0]
    if reply.HasField("error") and not late:
        sys.exit(f"match {update.match_id}: {reply.error.message}")


def on_view(update, view):
    """What one seat sees; returns whether its match is over."""
    if view.event.HasField("prompted"):
        answer(update, view.event.prompted.prompt)
    elif view.snapshot.table.HasField("prompt"):
        answer(update, view.snapshot.table.prompt)
    elif view.HasField("snapshot") or view.match_event.HasField("round_scored"):
        command(update, ready=pb.ReadyCommand())
    if view.match_event.HasField("round_scored"):
        scored = view.match_event.round_scored
        print(f"seat {update.seat}, round {scored.sheet.round_no}: {list(scored.totals)}")
    closed = view.snapshot.match.phase == pb.MATCH_PHASE_CLOSED
    return closed or view.match_event.HasField("match_closed")


tickets = [line.split() for line in sys.stdin if line.strip()]
if not tickets:
    sys.exit("no tickets on standard input")
attach = [pb.SessionRequest.Attach(match_id=match, seat_token=token) for match, _, token in tickets]
requests.put(pb.SessionRequest(attaches=attach))
open_seats = {(match, int(seat)) for match, seat, _ in tickets}
with grpc.insecure_channel(sys.argv[1]) as channel:
    responses = MatchServiceStub(channel).Session(iter(requests.get, None))
    try:
        for response in responses:
            for update in response.updates:
                check(update)
                if any(on_view(update, view) for view in update.views):
                    open_seats.discard((update.match_id, update.seat))
            if not open_seats:
                break
    except grpc.RpcError as error:
        sys.exit(f"the stream broke: {error.details()}")
    requests.put(None)  # ends the stream
