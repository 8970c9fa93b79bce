// generated from core's operators.ts by core/scripts/generate-operator-lists.mjs; do not edit.

export const OPERATORS = [
  {
    "spelling": "=",
    "meaning": "equals; @ and * are wildcards",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": "!=",
    "meaning": "differs",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": "===",
    "meaning": "equals, no wildcards",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": "!==",
    "meaning": "differs, no wildcards",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": ">",
    "meaning": "is greater",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": ">=",
    "meaning": "is greater or equal",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": "<",
    "meaning": "is less",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": "<=",
    "meaning": "is less or equal",
    "isTextOnly": false,
    "takesList": false
  },
  {
    "spelling": "begin",
    "meaning": "begins with",
    "isTextOnly": true,
    "takesList": false
  },
  {
    "spelling": "end",
    "meaning": "ends with",
    "isTextOnly": true,
    "takesList": false
  },
  {
    "spelling": "%",
    "meaning": "holds these words",
    "isTextOnly": true,
    "takesList": false
  },
  {
    "spelling": "in",
    "meaning": "is one of [a, b]; @ and * are wildcards",
    "isTextOnly": false,
    "takesList": true
  },
  {
    "spelling": "isin",
    "meaning": "is one of [a, b], no wildcards",
    "isTextOnly": false,
    "takesList": true
  },
  {
    "spelling": "esclike",
    "meaning": "equals; \\@ and \\* are no wildcards",
    "isTextOnly": true,
    "takesList": false
  }
]
