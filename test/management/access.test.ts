// The scope matrix, row by row: what src/management/rules/access.ts must say for every level and access.
import { describe, expect, it } from 'vitest'
import type { AccessLevel, ApiKey, KeyLevel } from '../../src/kinds/api-key.ts'
import {
  ACCESS,
  hasAccess,
  type Operation,
  reachesEnvironment,
  reachesProject,
  requireAccess,
} from '../../src/management/rules/access.ts'

const LEVELS: readonly KeyLevel[] = ['directory', 'tenant', 'env', 'project', 'org']
const ACCESSES: readonly AccessLevel[] = ['no_access', 'read', 'write', 'admin']

/** the narrowest level, where it is not that of an environment */
const NARROWEST: Readonly<Partial<Record<Operation, KeyLevel>>> = {
  'scope.read': 'tenant',
  'directory.read': 'directory',
  'directory.write': 'directory',
  'members.read': 'tenant',
  'members.write': 'tenant',
  'organization.stats': 'org',
  'organization.write': 'org',
  'project.create': 'org',
  'project.write': 'project',
  'project.delete': 'project',
  'environment.create': 'project',
  'environment.delete': 'project',
  'environment.require': 'project',
  'key.reveal': 'project',
  'environment.copy': 'project',
  'environment.planCopy': 'project',
}

/** the widest level, where a wider key may not either */
const WIDEST: Readonly<Partial<Record<Operation, KeyLevel>>> = {
  'audit.write': 'env',
  'directory.read': 'directory',
  'directory.write': 'directory',
}

/** the least access that each operation needs, at every level that may do it */
const LEAST: Readonly<Record<Operation, AccessLevel>> = {
  'scope.read': 'no_access',
  'organization.read': 'read',
  'project.read': 'read',
  'environment.read': 'read',
  'organization.stats': 'read',
  'organization.write': 'write',
  'project.create': 'write',
  'project.write': 'write',
  'project.delete': 'admin',
  'environment.create': 'write',
  'environment.write': 'write',
  'environment.delete': 'admin',
  'rules.write': 'write',
  'groups.write': 'write',
  'proposal.read': 'read',
  'proposal.write': 'write',
  'environment.require': 'admin',
  'environment.copy': 'write',
  'environment.planCopy': 'read',
  'key.read': 'read',
  'key.reveal': 'admin',
  'key.write': 'admin',
  'history.read': 'read',
  'decision.explain': 'read',
  'metrics.read': 'read',
  'audit.read': 'read',
  'audit.write': 'write',
  'elements.login': 'write',
  'secret.read': 'write',
  'schema.read': 'read',
  'schema.write': 'write',
  'facts.read': 'read',
  'facts.write': 'write',
  'request.write': 'write',
  'feed.read': 'read',
  'members.read': 'read',
  'members.write': 'write',
  'directory.read': 'read',
  'directory.write': 'write',
}

describe('requireAccess', () => {
  it('has a row here for every operation', () => {
    expect(Object.keys(LEAST).sort()).toEqual(Object.keys(ACCESS).sort())
  })

  for (const operation of Object.keys(LEAST) as Operation[]) {
    it.each(LEVELS.flatMap((level) => ACCESSES.map((access) => [level, access] as const)))(
      `${operation} by a key of level %s and access %s`,
      (level, access) => {
        const at = LEVELS.indexOf(level)
        const wide =
          at >= LEVELS.indexOf(NARROWEST[operation] ?? 'env') && at <= LEVELS.indexOf(WIDEST[operation] ?? 'org')
        const may = wide && ACCESSES.indexOf(access) >= ACCESSES.indexOf(LEAST[operation])
        const ask = () => requireAccess({ level, access }, operation)
        if (may) expect(ask).not.toThrow()
        else {
          const isMissing = level === 'tenant' && !wide
          expect(ask).toThrow(expect.objectContaining({ code: isMissing ? 'NOT_OF_TENANT' : 'KEY_TOO_NARROW' }))
        }
      },
    )
  }
})

describe('what a key reaches', () => {
  const key = (level: KeyLevel): ApiKey => ({
    id: 'k',
    key: 'hash',
    level,
    access: 'admin',
    owner: 'member',
    name: null,
    organization_id: 'o',
    project_id: level === 'org' ? null : 'p1',
    environment_id: level === 'org' || level === 'project' ? null : 'e1',
    created_at: 0,
    updated_at: 0,
  })

  it('an organization key reaches every project and environment', () => {
    expect(reachesProject(key('org'), { id: 'p2' })).toBe(true)
    expect(reachesEnvironment(key('org'), { id: 'p2' }, { id: 'e9' })).toBe(true)
  })

  it('a project key reaches its project and everything in it', () => {
    expect(reachesProject(key('project'), { id: 'p1' })).toBe(true)
    expect(reachesProject(key('project'), { id: 'p2' })).toBe(false)
    expect(reachesEnvironment(key('project'), { id: 'p1' }, { id: 'e9' })).toBe(true)
    expect(reachesEnvironment(key('project'), { id: 'p2' }, { id: 'e1' })).toBe(false)
  })

  it.each(['env', 'tenant'] as const)(
    'a key of level %s reaches its environment, and the project that holds it',
    (level) => {
      expect(reachesProject(key(level), { id: 'p1' })).toBe(true)
      expect(reachesProject(key(level), { id: 'p2' })).toBe(false)
      expect(reachesEnvironment(key(level), { id: 'p1' }, { id: 'e1' })).toBe(true)
      expect(reachesEnvironment(key(level), { id: 'p1' }, { id: 'e2' })).toBe(false)
    },
  )
})

describe('a person who acts as a stored user', () => {
  it('asks and decides with any access but none, and writes nothing else with `read`', () => {
    for (const operation of Object.keys(ACCESS) as Operation[])
      for (const level of LEVELS) {
        const acts = hasAccess({ level, access: 'read', actsAsUser: true }, operation)
        const reads = hasAccess({ level, access: 'read' }, operation)
        expect([operation, level, acts]).toEqual([
          operation,
          level,
          reads || (operation === 'request.write' && level !== 'tenant' && level !== 'directory'),
        ])
      }
    expect(hasAccess({ level: 'env', access: 'no_access', actsAsUser: true }, 'request.write')).toBe(false)
  })
})

describe('whose writes are limited to facts', () => {
  it('reads like any key of its level, and writes nothing but facts', () => {
    for (const operation of Object.keys(ACCESS) as Operation[])
      for (const level of LEVELS) {
        const whole = hasAccess({ level, access: 'write' }, operation)
        const isWrite = !hasAccess({ level, access: 'read' }, operation)
        const limited = hasAccess({ level, access: 'write', only: 'facts' }, operation)
        expect([operation, level, limited]).toEqual([
          operation,
          level,
          whole && (!isWrite || ['facts.write', 'rules.write', 'request.write', 'members.write'].includes(operation)),
        ])
      }
  })
})
