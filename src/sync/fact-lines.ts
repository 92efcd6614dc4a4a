// A fact as one line of text: what names it, and what it says. Lines in the order of their code units are in the order
// in which the server streams facts: component by component, in UTF-8 bytes. Keys are ASCII, so that both are the same.
import type { Json, JsonObject } from '../model/objects.ts'

/** Before every character of a key: `ana` with anything behind it comes before `ana-b`. */
const BETWEEN = '\u0000'

export const joinIdentity = (components: readonly string[]): string => components.join(BETWEEN)
export const splitIdentity = (identity: string): string[] => identity.split(BETWEEN)

/** For people. */
export const formatIdentity = (identity: string): string =>
  splitIdentity(identity)
    .filter((part) => part !== '')
    .join('/')

/** The fields of a fact in one form: members in the order of their names. */
export const formatContent = (content: JsonObject): string => JSON.stringify(sortMembers(content))

function sortMembers(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortMembers)
  const members = Object.entries(value as JsonObject).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([name, inside]) => [name, sortMembers(inside)]))
}
