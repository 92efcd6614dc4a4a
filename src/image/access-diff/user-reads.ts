// What the rules of a permission read of users, so that users for whom they mean the same share the work: a part that
// reads the user alone counts as true or false, and next to something open the value counts.
import type { AttributePath, Condition } from '../../model/condition.ts'
import { foreignMatches, readings } from '../../model/condition-reads.ts'
import { namesRead } from './open-conditions.ts'
import type { ParsedRule } from './stored-side.ts'
import type { Seen, UserConditions } from './user-conditions.ts'

type Operand = Extract<Condition, { kind: 'operand' }>

export interface UserReads {
  /** parts that read nothing but the user */
  readonly alone: readonly Operand[]
  /** paths of the user next to something open */
  readonly values: readonly (readonly string[])[]
  /** names of the user's attributes that a question may send */
  readonly attributes: readonly string[]
  /** roles that the rules ask for: it matters whether the user has them */
  readonly roles: readonly string[]
  /** whether it matters which roles the user has in the tenant */
  readonly tenantRoles: boolean
  /** stored instances to which keys are followed, by what is read of them */
  readonly followed: readonly { readonly type: string; readonly attributes: readonly string[] }[]
  /** whether it matters which tenant it is */
  readonly tenantKey: boolean
  /** whether attributes of the tenant are read */
  readonly tenantAttributes: boolean
}

/** Names that stand for the user's identity in a question (D8): no attributes of these names are read. */
const IDENTITY: readonly string[] = ['key', 'roles', 'tenants']

export function collectUserReads(rules: readonly ParsedRule[]): UserReads {
  const operands = rules.flatMap(({ users, resources }) =>
    [users, resources].flatMap((side) =>
      typeof side === 'object' && 'conditions' in side ? side.conditions.flatMap((each) => [...eachOperand(each)]) : [],
    ),
  )
  const alone = operands.filter((operand) => listPaths(operand).every(({ root }) => root === 'user'))
  const others = operands.filter((operand) => !alone.includes(operand))
  const values = others.flatMap((operand) => listPaths(operand).filter((path) => isValue(path, operand)))
  const paths = operands.flatMap(listPaths)
  const isAttribute = ({ root, names }: AttributePath) => root === 'user' && !IDENTITY.includes(names[0] ?? '')
  const roles = distinct(
    rules.flatMap(({ users }) => (typeof users === 'object' && 'role' in users ? [users.role] : [])),
  )
  return {
    alone: distinct(alone),
    values: distinct(values.map(({ names }) => names)),
    attributes: distinct(paths.filter(isAttribute).map(({ names }) => names[0] ?? '')).sort(),
    roles,
    tenantRoles: roles.length > 0 || paths.some(({ root, names }) => root === 'user' && names[0] === 'roles'),
    followed: operands
      .flatMap(({ test }) => [...foreignMatches(test)])
      .map(({ foreignType, members }) => ({
        type: foreignType,
        attributes: namesRead(members),
      })),
    tenantKey: others.some(readsTenantKey),
    tenantAttributes: paths.some(({ root, names }) => root === 'tenant' && names[0] !== 'key'),
  }
}

/** The same for all users for whom the rules mean the same. */
export function computeSignature(reads: UserReads, conditions: UserConditions, seen: Seen): string {
  const alone = reads.alone.map((operand) => conditions.toPart(operand))
  const values = reads.values.map((names) => conditions.userValue(names) ?? [])
  return JSON.stringify([alone, values, reads.roles.map((role) => seen.roles.includes(role))])
}

function* eachOperand(condition: Condition): Iterable<Operand> {
  if (condition.kind === 'operand') yield condition
  else if (condition.kind === 'not') yield* eachOperand(condition.item)
  else for (const item of condition.items) yield* eachOperand(item)
}

const listPaths = (operand: Operand): AttributePath[] => [...readings(operand)].map(({ path }) => path)

/** A key next to something open is written out, unless some of several tests is about the key alone. */
function isValue(path: AttributePath, operand: Operand): boolean {
  if (path.root !== 'user') return false
  return path.names[0] !== 'key' || (path === operand.left && operand.test.kind !== 'compare')
}

function readsTenantKey(operand: Operand): boolean {
  const isKey = ({ root, names: [name] }: AttributePath) =>
    (root === 'tenant' && name === 'key') || (root === 'resource' && name === 'tenant')
  const paths = listPaths(operand)
  if (!paths.some(isKey)) return false
  const isOpen = ({ root, names: [name] }: AttributePath) =>
    root === 'context' || root === 'action' || (root === 'resource' && name !== 'tenant' && name !== 'type')
  // Of a left side that is open nothing is decided by the key; of a key on the left some of several tests may be.
  return !isOpen(operand.left) && !(operand.test.kind === 'compare' && paths.some(isOpen))
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
