"""A platform creates a match and seats three players: prints `match seat token` for each."""

import sys
from uuid import uuid4

import grpc
from paiju.match.v1 import match_pb2 as pb
from paiju.match.v1.match_pb2_grpc import MatchServiceStub

with grpc.insecure_channel(sys.argv[1]) as channel:
    platform = MatchServiceStub(channel)
    room = pb.CreateMatchRequest(command_id=str(uuid4()), game="hengyang_liuhuqiang")
    room.players, room.rounds = 3, 8
    room.options.values["qi_hu"].int_value = 9  # the other options keep their defaults
    room.clock.preset = pb.ClockPolicy.PRESET_NONE  # no deadlines, no pauses
    match = platform.CreateMatch(room).match
    for name in ("anna", "bao", "chen"):
        join = pb.JoinRequest(command_id=str(uuid4()), match_id=match.match_id)
        join.player.player_id = join.player.display_name = name
        joined = platform.Join(join)
        print(match.match_id, joined.seat, joined.seat_token)
