"""How well the readers of a run read texts whose meaning people marked."""
