"""What relations between closed answers share: an account of what each answer states."""
