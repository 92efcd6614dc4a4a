// What differs between the rows of a source and what an environment has with the claim of the sync: two sorted lists are
// merged, and neither is held in memory. What rows do not name is not compared, so it is never changed.
import { ZerohopError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/objects.ts'
import { joinIdentity, splitIdentity } from './fact-lines.ts'
import { SECTIONS, type SectionName } from './file/sections.ts'
import type { SortedFact } from './read-source.ts'

/** A fact as the stream of an environment has it. */
export type StoredFact = JsonObject & { readonly key: string }

/** A fact that is written, or whose claim is dropped. */
export type Difference =
  | { readonly op: 'put'; readonly identity: string; readonly content: JsonObject; readonly isNew: boolean }
  | { readonly op: 'drop'; readonly identity: string; readonly key: string }

/** What the stream has where nothing was said. */
const UNSAID: ReadonlySet<string> = new Set(['valid_from', 'valid_until'])

/**
 * The differences in the order of identities.
 * @param onStored hears of each stored fact
 * @throws SERVICE_ANSWER_INVALID when the stream is not in order
 */
export async function* findDifferences(
  section: SectionName,
  rows: Iterator<SortedFact, void>,
  stored: AsyncIterable<readonly StoredFact[]>,
  onStored: () => void,
): AsyncGenerator<Difference, void, undefined> {
  const read = makeReader(section)
  let row = rows.next()
  let before: string | undefined
  for await (const facts of stored) {
    for (const fact of facts) {
      onStored()
      const identity = read(fact)
      if (before !== undefined && identity <= before)
        throw new ZerohopError('SERVICE_ANSWER_INVALID', { what: `GET stream of ${section}`, expected: 'in order' })
      before = identity
      while (!row.done && row.value.identity < identity) {
        yield makePut(row.value, true)
        row = rows.next()
      }
      if (row.done || row.value.identity !== identity)
        yield { op: 'drop', identity, key: makeKey(section, identity, fact) }
      else {
        if (!isSame(section, row.value.content, fact)) yield makePut(row.value, false)
        row = rows.next()
      }
    }
  }
  for (; !row.done; row = rows.next()) yield makePut(row.value, true)
}

const makePut = ({ identity, content }: SortedFact, isNew: boolean): Difference => ({
  op: 'put',
  identity,
  content: JSON.parse(content) as JsonObject,
  isNew,
})

/** Reads what names a fact of the stream. */
function makeReader(section: SectionName): (fact: StoredFact) => string {
  const names = Object.keys(SECTIONS[section].identity)
  // of an instance the stream has `type:key`, and its type
  if (section === 'resource_instances')
    return ({ key, resource }) => joinIdentity([String(resource), key.slice(key.indexOf(':') + 1)])
  return (fact) => joinIdentity(names.map((name) => String(fact[name] ?? '')))
}

/** The key of a stored instance has its type. */
const makeKey = (section: SectionName, identity: string, { key }: StoredFact): string =>
  section === 'resource_instances' ? splitIdentity(identity).join(':') : key

/** Whether a fact says what the row says. */
function isSame(section: SectionName, content: string, fact: StoredFact): boolean {
  const wanted = JSON.parse(content) as JsonObject
  const times = section === 'role_assignments' || section === 'relationship_tuples' ? [...UNSAID] : []
  if (times.some((name) => !isEqualTime(wanted[name] ?? null, fact[name] ?? null))) return false
  if (!isClaimed(wanted, fact)) return false
  return Object.entries(wanted).every(([name, value]) => {
    if (UNSAID.has(name)) return true
    // a tenant without a name has its key for one
    if (name === 'name' && value === null) return fact.name === fact.key
    if (name !== 'attributes') return isEqual(value, fact[name] ?? null)
    const has = (fact.attributes ?? {}) as JsonObject
    return Object.entries(value as JsonObject).every(([attribute, one]) => isEqual(one, has[attribute] ?? null))
  })
}

/** Whether the claim on a user, tenant or instance has all fields that the row names. */
function isClaimed(wanted: JsonObject, { fields }: StoredFact): boolean {
  if (!Array.isArray(fields)) return true
  const claimed: ReadonlySet<Json> = new Set(fields)
  return Object.entries(wanted).every(([name, value]) => {
    if (name === 'tenant') return true // of an instance it cannot be changed
    if (name !== 'attributes') return claimed.has(name)
    return Object.keys(value as JsonObject).every((attribute) => claimed.has(`attributes.${attribute}`))
  })
}

const isEqualTime = (one: Json, other: Json): boolean =>
  one === other || (one !== null && other !== null && Date.parse(String(one)) === Date.parse(String(other)))

function isEqual(one: Json, other: Json): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [one as JsonObject, other as JsonObject]
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name]!, right[name]!))
  )
}
