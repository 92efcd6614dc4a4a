// Conditions as one short sentence, for where the builder does not fit: `resource.archived is not true`.
import { wordsOfOperator } from 'zerohop/conditions'
import { type Group, type Json, type Node, readConditions } from './condition-model.ts'
import { findRef } from './operands.ts'

/** Characters, beyond which the page of the set says it better. */
const LENGTH_MAX = 160
const JOINED = { all: ' and ', any: ' or ', not: ' and ' } as const

/** undefined without a condition. */
export function describeConditions(json: Json): string | undefined {
  const root = readConditions(json)
  if (root.of === 'all' && root.items.length === 0) return undefined
  const text = groupText(root)
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}

const groupText = ({ of, items }: Group): string => {
  const text = items.map((item) => nodeText(item, items.length > 1)).join(JOINED[of])
  return of === 'not' ? `not (${text})` : text
}

function nodeText(node: Node, isAmongOthers: boolean): string {
  if (node.is === 'json') return JSON.stringify(node.json)
  if (node.is === 'test') {
    const { attribute, operator, value } = node
    return `${attribute} ${wordsOfOperator(operator)?.is ?? operator} ${findRef(value) ?? valueText(value)}`
  }
  const text = groupText(node)
  return isAmongOthers && node.of !== 'not' && node.items.length > 1 ? `(${text})` : text
}

const valueText = (value: Json): string =>
  Array.isArray(value) ? value.map(valueText).join(', ') : typeof value === 'string' ? value : JSON.stringify(value)
