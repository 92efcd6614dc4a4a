// Values outside of an image as the two sides of a test: rows of an application, and what a filter has decided already.
// Runs in browsers too: nothing of Node.js, and no dependency.
import { isObject } from '../../model/attribute-types.ts'
import type { Json } from '../../model/objects.ts'
import { OPERATORS, type Operand, type Operator } from '../../model/operators.ts'

export { type Operand, plain } from '../../model/operators.ts'

/** The value at a path inside a value, over own members of objects; undefined when a member is missing. */
export function findMember(value: Json | undefined, names: readonly string[]): Json | undefined {
  let inner = value
  for (const name of names) inner = isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
  return inner
}

/** Whether the operator is true of the two sides. */
export function compare(operator: Operator, left: Operand, right: Operand): boolean {
  return OPERATORS[operator].holds(left, right)
}
