"""The stage that proves suspicions: closed questions decide, in rounds, and what they cannot prove is a lead."""
