// The name of a question that the policy does not have, with the nearest one that it has. Users and instances may be
// millions: those that begin like the name are compared, then the first of all.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EXPLAIN_NAMES_MAX, NEAREST_NAMES_MAX } from '../../model/limits.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { isBuiltIn } from '../build/write-records.ts'
import { findSymbol } from '../look-up.ts'
import { permissionsOfType } from '../records/permission.ts'
import { type SymbolTable, symbolKey } from '../records/symbol.ts'
import { inOrder, type Ordered, records } from '../records/tables.ts'
import type { Question } from './explain.ts'
import type { Explanation } from './explanation.ts'

/** The first of a list, and how long it is. */
export interface Some<T> {
  readonly first: readonly T[]
  readonly count: number
}

export interface UnknownName {
  readonly kind: 'resource type' | 'action' | 'tenant' | 'user' | 'instance' | 'relation'
  readonly name: string
  readonly nearest?: string
  /** some names of the kind; none for users and instances */
  readonly known: readonly string[]
}

/** The first name that is unknown, in the order of the codes of an explanation (D1: unknown keys). */
export function nearestNames(
  kernel: Kernel,
  question: Question,
  { code, tenant }: Explanation,
): UnknownName | undefined {
  const { user, action, type } = question
  switch (code) {
    case 'no_such_resource':
      return unknown('resource type', type, listTypes(kernel))
    case 'no_such_action': {
      const actions = permissionsOfType(kernel, findSymbol(kernel, 'resource', type)).map(([, name]) => name)
      return unknown('action', action, actions)
    }
    case 'no_such_tenant':
      return unknown('tenant', tenant, someKeys(kernel, Table.Tenants))
    case 'user_not_synced':
      return { ...unknown('user', user, keysLike(kernel, Table.Users, user)), known: [] }
    default:
      return undefined
  }
}

/** An instance that is not stored, with the nearest one of its type. */
export function nearestInstance(kernel: Kernel, type: string, key: string): UnknownName {
  const start = `${type}:`
  const keys = keysLike(kernel, Table.Instances, key, start)
  const { nearest } = unknown('instance', key, keys)
  const name = `${start}${key}`
  return { kind: 'instance', name, ...(nearest === undefined ? {} : { nearest: `${start}${nearest}` }), known: [] }
}

export function unknown(kind: UnknownName['kind'], name: string, names: readonly string[]): UnknownName {
  const nearest = nearestName(name, names)
  const known = names.toSorted().slice(0, EXPLAIN_NAMES_MAX)
  return { kind, name, ...(nearest === undefined ? {} : { nearest }), known }
}

function listTypes(kernel: Kernel): string[] {
  return someKeys(kernel, Table.Resources).filter((type) => !isBuiltIn(type))
}

function someKeys(kernel: Kernel, table: SymbolTable): string[] {
  const keys: string[] = []
  for (const record of records(kernel, table)) {
    if (keys.length >= NEAREST_NAMES_MAX) break
    keys.push(symbolKey(kernel, table, record))
  }
  return keys
}

/** Keys behind `start` that begin with the first half of the name, and the first of all. */
function keysLike(kernel: Kernel, table: Ordered, name: string, start = ''): string[] {
  const half = name.slice(0, Math.ceil(name.length / 2))
  const keys = [...keysFrom(kernel, table, `${start}${half}`), ...keysFrom(kernel, table, start)]
  return [...new Set(keys)].map((key) => key.slice(start.length))
}

function keysFrom(kernel: Kernel, table: Ordered, start: string): string[] {
  const keys: string[] = []
  for (const record of inOrder(kernel, table, start)) {
    const key = symbolKey(kernel, table, record)
    if (keys.length >= NEAREST_NAMES_MAX / 2 || !key.startsWith(start)) break
    keys.push(key)
  }
  return keys
}
