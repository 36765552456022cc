"""Objects that the cluster registers with the core."""

from bake.core.extras import Entries

ENTRIES: Entries = {("executor", "cluster"): "bake.extras.cluster.scheduler:Cluster"}
