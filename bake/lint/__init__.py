"""What is likely wrong with a level although it bakes."""

from bake.lint.findings import RULES, SEVERITIES, Finding, Severity, severity_of

__all__ = ["RULES", "SEVERITIES", "Finding", "Severity", "severity_of"]
