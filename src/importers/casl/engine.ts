// The old engine of a proof: CASL itself, which reads the rules, raw or packed, as applications give them to it. Templates
// are filled in as the documentation of CASL does it: a text that is one is the value of the user.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { toErrorLine } from '../../model/error-line.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { OldEngine } from '../frame/importer.ts'
import { loadPeer } from '../frame/load-peer.ts'
import type { RoleRules } from './rule-files.ts'
import { findTemplate } from './values.ts'

/** What is used of the package. */
interface Casl {
  createMongoAbility(rules: readonly unknown[]): { can(action: string, subject?: unknown): boolean }
  subject(type: string, attributes: object): object
}
interface Extra {
  unpackRules(rules: readonly unknown[]): readonly unknown[]
}

export interface Asked {
  readonly user: AskedUser
  readonly action: string
  /** undefined: the rules name no subjects */
  readonly type: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface AskedUser {
  readonly key: string
  readonly role: string
  /** what templates are filled in from */
  readonly attributes: Readonly<Record<string, unknown>>
}

/** @throws PACKAGE_MISSING, CONFIG_INVALID when CASL refuses the rules */
export async function openCasl(roles: readonly RoleRules[]): Promise<OldEngine<Asked>> {
  const casl = await loadPeer<Casl>('@casl/ability')
  const { unpackRules } = await loadPeer<Extra>('@casl/ability/extra')
  const abilities = new Map<string, ReturnType<Casl['createMongoAbility']>>()
  try {
    const rules = new Map(roles.map(({ role, raw }) => [role, Array.isArray(raw[0]) ? unpackRules(raw) : raw]))
    const findAbility = ({ key, role, attributes }: AskedUser) => {
      const made = abilities.get(key) ?? casl.createMongoAbility(fill(rules.get(role), attributes) as unknown[])
      abilities.set(key, made)
      return made
    }
    for (const raw of rules.values()) casl.createMongoAbility(raw)
    return {
      name: `@casl/ability ${readVersion()}`,
      // what it throws is its answer
      ask: async ({ user, action, type, attributes }) =>
        findAbility(user).can(action, ...(type === undefined ? [] : [casl.subject(type, structuredClone(attributes))])),
      close: () => Promise.resolve(),
    }
  } catch (error) {
    throw new ZerohopError(
      'CONFIG_INVALID',
      { reason: `CASL refuses the rules: ${toErrorLine(error)}` },
      { cause: error },
    )
  }
}

function fill(value: unknown, user: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item, user))
  if (typeof value === 'string') {
    const path = findTemplate(value)
    return path === undefined ? value : read({ user }, path)
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, fill(inside, user)]))
}

function read(value: unknown, path: string): unknown {
  let found = value
  for (const name of path.split('.'))
    found = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined
  return found
}

function readVersion(): string {
  let folder = dirname(createRequire(import.meta.url).resolve('@casl/ability'))
  for (let up = 0; up < 4; up++, folder = dirname(folder))
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
      if (name === '@casl/ability' && version !== undefined) return version
    } catch {
      // a folder within the package
    }
  return ''
}
