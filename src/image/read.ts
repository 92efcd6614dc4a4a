// Reads an image's records: everything into contents, and the short lists that explain and listings need. Never on the path of a check.
import {
  Edge,
  Grant,
  HEADER,
  Header,
  Instance,
  Party,
  Permission,
  Relation,
  Resource,
  Role,
  RoleSet,
  Root,
  RULE_NO_DIRECT,
  Rule,
  SCRATCH_BYTES,
  SINGLE,
  SymbolRecord,
  TABLE_BYTES,
  Table,
  Tuple,
} from '../../assembly/abi.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { tupleKey } from '../model/objects.ts'
import {
  type Contents,
  emptyContents,
  type RoleContent,
  type RuleContent,
  ruleKey,
  type UserContent,
} from './contents.ts'

/** Reads everything that is live out of a kernel. */
export function read(kernel: Kernel): Contents {
  const contents = emptyContents()
  const names = new Map<number, string>()
  for (const record of records(kernel, Table.Resources)) {
    contents.resources.set(kernel.key(record, Resource.Key), actionsOf(kernel, record).sort())
  }
  const roles = [...records(kernel, Table.Roles)]
  for (const record of roles) names.set(record, kernel.key(record, Role.Key))
  for (const record of roles) contents.roles.set(names.get(record)!, roleOf(kernel, record, names))
  for (const record of records(kernel, Table.Tenants)) {
    const key = kernel.key(record, Party.Key)
    names.set(record, key)
    contents.tenants.add(key)
  }
  readInstances(kernel, contents, names)
  for (const record of records(kernel, Table.Users)) {
    contents.users.set(kernel.key(record, Party.Key), userOf(kernel, record, names))
  }
  return contents
}

function roleOf(kernel: Kernel, role: number, names: ReadonlyMap<number, string>): RoleContent {
  const parents = parentsOf(kernel, role).map((parent) => names.get(parent)!)
  const content = { permissions: permissionsOf(kernel, role).sort(), extends: parents.sort() }
  if (kernel.word(role + Role.Type) === 0) return content
  const rules: RuleContent[] = []
  for (let at = kernel.word(role + Role.Rules); at !== 0; at = kernel.word(at + Rule.NextOfTarget)) {
    rules.push({
      relation: kernel.key(kernel.word(at + Rule.Relation), Relation.Key),
      source: names.get(kernel.word(at + Rule.Source))!,
      noDirect: (kernel.word(at + Rule.Flags) & RULE_NO_DIRECT) !== 0,
    })
  }
  rules.sort((left, right) => (ruleKey(left) < ruleKey(right) ? -1 : 1))
  return { ...content, rules, noDirect: (kernel.word(role + Role.Flags) & RULE_NO_DIRECT) !== 0 }
}

function readInstances(kernel: Kernel, contents: Contents, names: Map<number, string>): void {
  const instances = [...records(kernel, Table.Instances)]
  for (const record of instances) {
    const key = kernel.key(record, Instance.Key)
    names.set(record, key)
    contents.instances.set(key, { tenant: names.get(kernel.word(record + Instance.Tenant))! })
  }
  for (const record of instances) {
    const object = names.get(record)!
    for (let at = kernel.word(record + Instance.Objects); at !== 0; at = kernel.word(at + Tuple.NextOfObject)) {
      const subject = names.get(kernel.word(at + Tuple.Subject))!
      const whole = kernel.key(kernel.word(at + Tuple.Relation), Relation.Key)
      const relation = whole.slice(whole.indexOf('/') + 1)
      contents.tuples.set(tupleKey(subject, relation, object), { subject, relation, object })
    }
  }
}

function userOf(kernel: Kernel, user: number, names: ReadonlyMap<number, string>): UserContent {
  const content: UserContent = { grants: new Map() }
  for (const grant of grantsOfUser(kernel, user)) {
    const scope = kernel.word(grant + Grant.Scope)
    const held = rolesOf(kernel, kernel.word(grant + Grant.Roles)).map((role) => names.get(role)!)
    if (tableOf(kernel, scope) === Table.Tenants) content.grants.set(names.get(scope)!, held.sort())
    else {
      content.onInstances ??= new Map()
      content.onInstances.set(names.get(scope)!, held.sort())
    }
  }
  return content
}

/** Which table a symbol is of. */
export function tableOf(kernel: Kernel, record: number): Table {
  return ((kernel.word(record + SymbolRecord.Meta) >>> 16) & 0xff) as Table
}

/** The live records of a table. */
export function* records(kernel: Kernel, table: Table): Iterable<number> {
  const buckets = kernel.word(tableRoot(table) + Root.Buckets)
  for (let index = 0; index < buckets; index++) {
    for (const record of kernel.readList(kernel.calls.listBucket(table, index))) {
      if (kernel.isLive(record)) yield record
    }
  }
}

function tableRoot(table: Table): number {
  return HEADER + Header.Tables + table * TABLE_BYTES
}

function actionsOf(kernel: Kernel, resource: number): string[] {
  const actions: string[] = []
  for (let at = kernel.word(resource + Resource.Permissions); at !== 0; at = kernel.word(at + Permission.Next)) {
    if (!kernel.isLive(at)) continue
    const key = kernel.key(at, Permission.Key)
    actions.push(key.slice(key.indexOf(':') + 1))
  }
  return actions
}

/** Keys of the permissions attached to a role itself. */
export function permissionsOf(kernel: Kernel, role: number): string[] {
  return listed(kernel, (first) => kernel.calls.listRole(role, first))
}

/** Keys of the permissions that a grant allows, inherited ones included. */
export function permissionsOfGrant(kernel: Kernel, grant: number): string[] {
  return listed(kernel, (first) => kernel.calls.listGrant(grant, first))
}

function listed(kernel: Kernel, list: (first: number) => number): string[] {
  const keys: string[] = []
  for (let first = 1; ; ) {
    const ids = kernel.readList(list(first))
    for (const id of ids) keys.push(kernel.key(kernel.calls.permissionRecord(id), Permission.Key))
    if (ids.length < SCRATCH_BYTES / 4) return keys
    first = ids[ids.length - 1]! + 1
  }
}

/** Records of the roles that a role extends directly. */
export function parentsOf(kernel: Kernel, role: number): number[] {
  const parents: number[] = []
  for (let edge = kernel.word(role + Role.Parents); edge !== 0; edge = kernel.word(edge + Edge.NextParent)) {
    parents.push(kernel.word(edge + Edge.Parent))
  }
  return parents
}

/** Records of the roles that extend a role directly. */
export function childrenOf(kernel: Kernel, role: number): number[] {
  const children: number[] = []
  for (let edge = kernel.word(role + Role.Children); edge !== 0; edge = kernel.word(edge + Edge.NextChild)) {
    children.push(kernel.word(edge + Edge.Child))
  }
  return children
}

/** Records of the grants of a user. */
export function grantsOfUser(kernel: Kernel, user: number): number[] {
  const grants: number[] = []
  for (let grant = kernel.word(user + Party.Grants); grant !== 0; grant = kernel.word(grant + Grant.NextOfUser))
    grants.push(grant)
  return grants
}

/** Records of the grants of a user in tenants. */
export function tenantGrantsOf(kernel: Kernel, user: number): number[] {
  return grantsOfUser(kernel, user).filter(
    (grant) => tableOf(kernel, kernel.word(grant + Grant.Scope)) === Table.Tenants,
  )
}

/** Records of the roles of a grant. */
export function rolesOf(kernel: Kernel, roles: number): number[] {
  if ((roles & SINGLE) !== 0) return [roles - SINGLE]
  const count = kernel.word(roles + RoleSet.Count)
  return Array.from({ length: count }, (_, index) => kernel.word(roles + RoleSet.Roles + index * 4))
}
