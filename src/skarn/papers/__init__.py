"""The papers behind skarn, reproduced: their protocols, tables and figures."""
