"""The workbench: the core in layers, one file a concern (see the README, "The house")."""
