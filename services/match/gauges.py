"""What the match service measures of itself."""

from libs.runtime.metrics import Metrics

_BATCH = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Gauges:
    """Metrics with their labels bound once."""

    def __init__(self, metrics: Metrics) -> None:
        """Registers all of them."""
        commands = metrics.counter("match_commands", "Commands answered.", "result")
        self.accepted = commands.labels("accepted")
        self.repeated = commands.labels("repeated")
        self.refused = commands.labels("refused")
        self.batch = metrics.histogram("match_batch", "Items of a batch.", "stage", buckets=_BATCH)
        self.commit_seconds = metrics.histogram("match_commit_seconds", "Time of a group commit.")
        self.timeouts = metrics.counter("match_timeouts", "Prompts that timed out.")
        self.live = metrics.gauge("match_live", "Matches in memory.")
        self.quarantined = metrics.gauge("match_quarantined", "Matches whose handling fails.")
        self.streams = metrics.gauge("match_streams", "Open streams.")
        self.outbox = metrics.gauge("match_outbox", "Outbox rows not done.")
        self.commits_failed = metrics.counter("match_commits_failed", "Rows not committed.")
