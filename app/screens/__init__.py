"""Full screens of the workbench, one file each; they don't know each other."""
