// How objects of each kind are written by whoever writes objects of many kinds. A kind that is not here does not compile;
// `null` says that no client writes its objects.

import { type EnvironmentKind, KINDS, type KindName } from '../../kinds/index.ts'
import { parseTenantRole } from '../../model/objects.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import type { Changed } from '../rules/collection.ts'
import { GroupCreate } from '../schemas/groups.ts'
import { InviteCreate, InviteUpdate } from '../schemas/invites.ts'
import { ProxyConfigCreate, ProxyConfigUpdate } from '../schemas/proxy-configs.ts'
import { TenantRoleCreate, TenantRoleUpdate } from '../schemas/tenant-roles.ts'
import { createGroup, deleteGroup } from './groups.ts'
import { WRITES_IN_FILES } from './in-files.ts'
import { createInvite, deleteInvite, replaceInvite, updateInvite } from './invites.ts'
import { createProxyConfig, deleteProxyConfig, replaceProxyConfig, updateProxyConfig } from './proxy-configs.ts'
import { createTenantRole, deleteTenantRole, replaceTenantRole, updateTenantRole } from './tenant-roles.ts'
import { type WritesOfKind, withBodies, withBody } from './writes.ts'

/** A role of a tenant by its whole key alone, or with its tenant. */
const namedRole = (ref: string, of: string) => ({ tenant: of === '' ? (parseTenantRole(ref)?.tenant ?? '') : of, ref })

export const WRITES = {
  ...WRITES_IN_FILES,
  group: withBody(GroupCreate, {
    create: createGroup,
    update: null,
    replace: null,
    remove: (view, { ref }, mint) => deleteGroup(view, { group: ref }, mint),
  }),
  built_in: null,
  user_invite: withBodies(
    { create: InviteCreate, update: InviteUpdate },
    { create: createInvite, update: updateInvite, replace: replaceInvite, remove: deleteInvite },
  ),
  proxy_config: withBodies(
    { create: ProxyConfigCreate, update: ProxyConfigUpdate },
    {
      create: createProxyConfig,
      update: updateProxyConfig,
      replace: replaceProxyConfig,
      remove: deleteProxyConfig,
    },
  ),
  tenant_role: withBodies(
    { create: TenantRoleCreate, update: TenantRoleUpdate },
    {
      create: (view, role, mint, of = '') => createTenantRole(view, { tenant: of, role }, mint),
      update: (view, { ref, fields }: Changed<TenantRoleUpdate>, mint, of = '') =>
        updateTenantRole(view, { ...namedRole(ref, of), fields }, mint),
      replace: (view, { ref, fields }: Changed<TenantRoleUpdate>, mint, of = '') =>
        replaceTenantRole(view, { ...namedRole(ref, of), fields }, mint),
      remove: (view, { ref }, mint, of = '') => deleteTenantRole(view, namedRole(ref, of), mint),
    },
  ),
  applied_object: null,
  proposal: null,
  /** by leases of its runs */
  sync: null,
  /** a directory writes these, by SCIM alone */
  directory_user: null,
  directory_group: null,
  directory_member: null,
  /** its plan is one of its own */
  group_rule: null,
  /** what becomes of a request is one of the transitions of its kind */
  access_request: null,
} as const satisfies { readonly [K in EnvironmentKind]: WritesOfKind | null }

/** Kinds that clients write and that no policy file holds. */
export type OutsideKind = {
  [K in Exclude<EnvironmentKind, PolicyKind>]: (typeof WRITES)[K] extends null ? never : K
}[Exclude<EnvironmentKind, PolicyKind>]

export const isOutsideFiles = (kind: KindName): kind is OutsideKind =>
  Object.hasOwn(WRITES, kind) && WRITES[kind as EnvironmentKind] !== null && KINDS[kind].inFiles === null
