// Which attributes the conditions of a set read: for the index by which a declared attribute finds the sets that depend
// on it, and for the check of types. Pure; the grammar is condition.ts.
import { createHash } from 'node:crypto'
import { type AttributePath, type Condition, parseConditions, type Test } from './condition.ts'
import { ZerohopError } from './errors.ts'
import { type JsonObject, partKey } from './objects.ts'

/** Keys of the built-in types that declare the attributes of users and of tenants. */
export const USER_TYPE = '__user'
export const TENANT_TYPE = '__tenant'

/** What `resource.*` reads of the question itself; attributes of these names are never read (D8). */
export const RESOURCE_IDENTITY: readonly string[] = ['type', 'key', 'tenant']

/** What is read of a condition set. */
interface SetConditions {
  readonly conditions: JsonObject
}

/** One reading of an attribute: by an operand with its test, or as the right side of a test (`ref`). */
export interface Reading {
  readonly path: AttributePath
  readonly test: Test | undefined
}

/** Every attribute path that a condition reads. */
export function* readings(condition: Condition): Iterable<Reading> {
  switch (condition.kind) {
    case 'operand':
      yield { path: condition.left, test: condition.test }
      for (const path of references(condition.test)) yield { path, test: undefined }
      return
    case 'not':
      return yield* readings(condition.item)
    default:
      for (const item of condition.items) yield* readings(item)
  }
}

/** Paths of the `ref`s inside a test. */
function* references(test: Test): Iterable<AttributePath> {
  for (const inner of everyTest(test))
    if (inner.kind === 'compare' && inner.right.kind === 'ref') yield inner.right.path
}

/** Matches inside a test that read the attributes of stored instances. */
export function* foreignMatches(test: Test): Iterable<Test & { readonly kind: 'match'; readonly foreignType: string }> {
  for (const inner of everyTest(test)) {
    if (inner.kind === 'match' && inner.foreignType !== null) yield { ...inner, foreignType: inner.foreignType }
  }
}

/** What a test compares, wherever it stands inside it. */
export function* comparisonsIn(test: Test): Iterable<Test & { readonly kind: 'compare' }> {
  for (const inner of everyTest(test)) if (inner.kind === 'compare') yield inner
}

/** The test and all inside it. */
function* everyTest(test: Test): Iterable<Test> {
  yield test
  if (test.kind === 'not') yield* everyTest(test.test)
  else if (test.kind === 'match') for (const member of test.members) yield* everyTest(member.test)
  else if (test.kind !== 'compare') for (const one of test.tests) yield* everyTest(one)
}

/**
 * The type that declares the attributes of a root, for a set over resources of `resource`; undefined when none does.
 */
export function declaringType(path: AttributePath, resource: string | null): string | undefined {
  if (path.root === 'user') return USER_TYPE
  if (path.root === 'tenant') return TENANT_TYPE
  return path.root === 'resource' ? (resource ?? undefined) : undefined
}

/**
 * What a set reads: `type/attribute` for each attribute, and `type` for each resource type whose instances it follows.
 * Invalid conditions read nothing: the index must accept whatever is stored.
 */
export function readBy({ conditions, resource }: SetConditions & { readonly resource: string | null }): string[] {
  const read = new Set<string>()
  for (const { path, test } of readings(parseOrEmpty(conditions))) {
    const type = declaringType(path, resource)
    if (type !== undefined) read.add(partKey(type, path.names[0] ?? ''))
    for (const { foreignType, members } of test ? foreignMatches(test) : []) {
      read.add(foreignType)
      for (const { names } of members) read.add(partKey(foreignType, names[0] ?? ''))
    }
  }
  return [...read]
}

/**
 * The attributes of resource types that conditions read, of a set over resources of `resource`: under `resource.*` in a
 * resource set, and of the stored instances that a match follows. A user set says nothing about the type of the
 * resource that is asked about, so what it reads under `resource.*` is not among them; nor are the type, the key and
 * the tenant of the resource, which no one declares.
 */
export function* resourceAttributes(
  condition: Condition,
  resource: string | null,
): Iterable<{ readonly type: string; readonly attribute: string }> {
  for (const { path, test } of readings(condition)) {
    const attribute = path.names[0] ?? ''
    if (path.root === 'resource' && resource !== null && !RESOURCE_IDENTITY.includes(attribute))
      yield { type: resource, attribute }
    for (const { foreignType, members } of test ? foreignMatches(test) : [])
      for (const { names } of members) yield { type: foreignType, attribute: names[0] ?? '' }
  }
}

/** Every path that the conditions read, also inside the items of matches, each once: what an image gives a number. */
export function pathsRead({ conditions }: SetConditions): string[] {
  const read = new Set<string>()
  const add = (root: string, names: readonly string[]) => read.add([root, ...names].join('.'))
  for (const { path, test } of readings(parseOrEmpty(conditions))) {
    add(path.root, path.names)
    for (const inner of test ? everyTest(test) : [])
      if (inner.kind === 'match') for (const { names } of inner.members) add('item', names)
  }
  return [...read]
}

/**
 * What the index of paths lists a set under: each path, and `#0`, `#1` … as many as it has paths, by which the uses of
 * all sets are counted without reading them.
 */
export function pathEntries(set: SetConditions): string[] {
  return pathsRead(set).flatMap((path, place) => [pathEntry(path), `#${place}`])
}

/** A path as the index has it: the key of an entry is bounded, so what a long path ends with is its hash. */
export function pathEntry(path: string): string {
  if (path.length <= PATH_ENTRY_MAX) return path
  return `${path.slice(0, PATH_ENTRY_MAX)}#${createHash('sha256').update(path).digest('hex')}`
}
const PATH_ENTRY_MAX = 256

function parseOrEmpty(conditions: JsonObject): Condition {
  try {
    return parseConditions(conditions)
  } catch (error) {
    if (error instanceof ZerohopError) return { kind: 'all', items: [] }
    throw error
  }
}
