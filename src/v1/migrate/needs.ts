// Finds what deleting the foreign environments now would lose: decisions of the team's environments that depend on a
// foreign object, and objects that none of the team's environments has. Each must be moved or dropped by name.
import type { Api } from './api-client.ts'
import { nowhere, readTogether } from './move.ts'
import type { Divided } from './survey.ts'
import { decides, isEmpty, lackingIn } from './uses.ts'
import { type Contents, type Environment, readContents, refused } from './world.ts'

/** Why an object that v1 cannot express is needed. */
export const IMMOVABLE = 'it affects decisions, and a move cannot copy it'

/** An object that is needed, where, and why. */
export interface Need {
  /** `project/environment` that needs it; null when none of the team's environments has it */
  readonly environment: string | null
  readonly what: string
  readonly why: string
  /** naming one of these drops it */
  readonly keys: readonly string[]
}

export interface Needs {
  readonly missing: readonly Need[]
  /**
   * environments that were not dropped and whose decisions depend on a foreign object: a verify must have compared each
   */
  readonly deciding: readonly string[]
  /** whether anything foreign is left that was not dropped */
  readonly isAnythingLeft: boolean
}

/**
 * @param dropped what is dropped: keys of users and roles (and of sets of set rules), and names of the team's
 * environments. The name of a foreign environment drops nothing inside it
 * @throws MIGRATION_REFUSED when a name in `dropped` does not exist
 */
export async function needsOf(api: Api, { foreign, own }: Divided, dropped: readonly string[]): Promise<Needs> {
  const theirs = await readTogether(api, foreign)
  requireKnown(theirs, [...own, ...foreign], dropped)
  const left = without(theirs, dropped)
  const kept = own.filter(({ name }) => !dropped.includes(name))
  const missing: Need[] = []
  const deciding: string[] = []
  const held: Contents[] = []
  for (const { environment, contents } of await readAll(api, isEmpty(left) ? [] : kept)) {
    held.push(contents)
    const { name } = environment
    for (const one of lackingIn(left, contents)) missing.push({ environment: name, ...one })
    if (decides(left)) deciding.push(name)
  }
  const reported = new Set(missing.map(({ what }) => what))
  for (const one of nowhere(left, held)) {
    if (!reported.has(one.what)) missing.push({ environment: null, ...one, why: 'no environment of the team has it' })
  }
  for (const one of left.immovable) missing.push({ environment: null, ...one, why: IMMOVABLE })
  return { missing, deciding, isAnythingLeft: !isEmpty(left) || left.immovable.length > 0 }
}

interface Read {
  readonly environment: Environment
  readonly contents: Contents
}

async function readAll(api: Api, environments: readonly Environment[]): Promise<Read[]> {
  const read: Read[] = []
  for (const environment of environments) read.push({ environment, contents: await readContents(api, environment) })
  return read
}

/** A name that does not exist is a typing error: without a refusal the intended object would silently be kept. */
function requireKnown(theirs: Contents, environments: readonly Environment[], dropped: readonly string[]): void {
  const known = new Set([
    ...environments.map(({ name }) => name),
    ...[...theirs.users, ...theirs.roles].map(({ key }) => key),
    ...theirs.immovable.flatMap(({ keys }) => keys),
  ])
  for (const name of dropped) {
    if (!known.has(name))
      throw refused(`--drop-unused names \`${name}\`, which does not exist as a user, role or environment`)
  }
}

/** The foreign contents without what is dropped. */
function without(theirs: Contents, dropped: readonly string[]): Contents {
  const given = new Set(dropped)
  const isKept = (key: string): boolean => !given.has(key)
  return {
    ...theirs,
    users: theirs.users.filter(({ key }) => isKept(key)),
    roles: theirs.roles.filter(({ key }) => isKept(key)),
    assignments: theirs.assignments.filter(({ user, role }) => isKept(user) && isKept(role)),
    immovable: theirs.immovable.filter(({ keys }) => keys.every(isKept)),
  }
}
