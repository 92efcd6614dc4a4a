// An access diff as it is defined, in the form in which it is answered.
import type { AccessChange, AccessFlip } from '../../src/model/access-diff.ts'
import type { Flip } from '../reference/access-diff.ts'
import { EVERYBODY } from '../reference/everybody.ts'

/** The flips as the answer says them. */
export function toAccessChange(flips: readonly Flip[]): AccessChange {
  const groups = new Map<string, { flip: Flip; users: Set<string>; decisions: number }>()
  for (const flip of flips) {
    const { because, resource, action, tenant, lifecycle, by } = flip
    const name = JSON.stringify([because, resource.type, action, tenant, lifecycle, by])
    const group = groups.get(name) ?? { flip, users: new Set(), decisions: 0 }
    group.users.add(flip.user)
    group.decisions++
    groups.set(name, group)
  }
  return {
    ...countUsers(new Set(flips.map(({ user }) => user))),
    decisions: flips.length,
    complete: true,
    groups: [...groups.values()].map(({ flip, users, decisions }) => ({
      source: flip.because,
      resource: flip.resource.type,
      action: flip.action,
      tenant: flip.tenant,
      ...(flip.lifecycle === undefined ? {} : { lifecycle: flip.lifecycle as NonNullable<AccessFlip['lifecycle']> }),
      ...(flip.by === undefined ? {} : { by: flip.by }),
      ...countUsers(users),
      decisions,
    })),
    more_groups: 0,
    first: flips as AccessFlip[],
    next: null,
  }
}

/** Everyone (D16) is said beside them, and not counted. */
function countUsers(keys: ReadonlySet<string>): { readonly users: number; readonly everybody?: true } {
  const users = [...keys].filter((key) => key !== EVERYBODY).length
  return keys.has(EVERYBODY) ? { users, everybody: true } : { users }
}

interface BothChanges {
  readonly gained: AccessChange
  readonly lost: AccessChange
}

/** Both directions as text in one form: members by name, groups in one order. */
export function sortedChange(answer: unknown): string {
  const { gained, lost } = answer as BothChanges
  return JSON.stringify([gained, lost].map(sorted))
}

export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, each]) => [name, name === 'groups' ? inOneOrder(each) : sorted(each)]))
}

const inOneOrder = (groups: readonly object[]): string[] => groups.map((group) => JSON.stringify(sorted(group))).sort()
