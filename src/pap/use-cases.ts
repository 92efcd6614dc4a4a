// Every write of the project by name: what the writer thread can run. A use case that is not here cannot be committed.
import type { UseCases } from '../store/view.ts'
import { assign, unassign } from './assignments.ts'
import { bootstrap } from './bootstrap.ts'
import { importBundle } from './bundle-import.ts'
import { createActionGroup, deleteActionGroup, updateActionGroup } from './collections/action-groups.ts'
import {
  assignMany,
  createTenants,
  createTuples,
  createUsers,
  deleteInstances,
  deleteTenants,
  deleteTuples,
  deleteUsers,
  putInstances,
  replaceUsers,
  unassignMany,
} from './collections/bulk.ts'
import { putRoles } from './collections/bulk-roles.ts'
import {
  createConditionSet,
  deleteConditionSet,
  replaceConditionSet,
  updateConditionSet,
} from './collections/condition-sets.ts'
import {
  addGroupRole,
  addGroupToGroup,
  addGroupUser,
  createGroup,
  deleteGroup,
  removeGroupFromGroup,
  removeGroupRole,
  removeGroupUser,
} from './collections/groups.ts'
import { createInstance, deleteInstance, replaceInstance, updateInstance } from './collections/instances.ts'
import { approveInvite, createInvite, deleteInvite, updateInvite } from './collections/invites.ts'
import {
  createAction,
  createAttribute,
  deleteAction,
  deleteAttribute,
  updateAction,
  updateAttribute,
} from './collections/parts.ts'
import { createProxyConfig, deleteProxyConfig, updateProxyConfig } from './collections/proxy-configs.ts'
import { createRelation, deleteRelation } from './collections/relations.ts'
import {
  addResourceRoleParent,
  addResourceRolePermissions,
  createResourceRole,
  deleteResourceRole,
  removeResourceRoleParent,
  removeResourceRolePermissions,
  replaceResourceRole,
  updateResourceRole,
} from './collections/resource-roles.ts'
import { createResource, deleteResource, replaceResource, updateResource } from './collections/resources.ts'
import {
  addParent,
  addPermissions,
  createRole,
  deleteRole,
  removeParent,
  removePermissions,
  replaceRole,
  updateRole,
} from './collections/roles.ts'
import { createSetRule, deleteSetRule } from './collections/set-rules.ts'
import {
  addTenantUser,
  createTenant,
  deleteTenant,
  removeTenantUser,
  replaceTenant,
  updateTenant,
} from './collections/tenants.ts'
import { createTuple, deleteTuple } from './collections/tuples.ts'
import { createUser, deleteUser, replaceUser, updateUser } from './collections/users.ts'
import { copyEnvironment } from './copy.ts'
import { addDerivation, removeDerivation, setDerivationConditions } from './derivations.ts'
import {
  createEnvironment,
  createProject,
  deleteEnvironment,
  deleteProject,
  forgetEnvironment,
  replaceEnvironment,
  replaceProject,
  updateEnvironment,
  updateOrganization,
  updateProject,
} from './general.ts'
import { createApiKey, deleteApiKey, noteRead, rotateApiKey, rotatePdpKey } from './keys.ts'
import { v1FirstWrite } from './v1/global.ts'
import { v1Writes } from './v1/writes.ts'

export const useCases = {
  bootstrap,
  createApiKey,
  rotateApiKey,
  rotatePdpKey,
  deleteApiKey,
  noteRead,
  updateOrganization,
  createProject,
  updateProject,
  replaceProject,
  deleteProject,
  createEnvironment,
  updateEnvironment,
  replaceEnvironment,
  deleteEnvironment,
  forgetEnvironment,
  importBundle,
  copyEnvironment,
  createRole,
  updateRole,
  replaceRole,
  deleteRole,
  addPermissions,
  removePermissions,
  addParent,
  removeParent,
  putRoles,
  createResource,
  updateResource,
  replaceResource,
  deleteResource,
  createResourceRole,
  updateResourceRole,
  replaceResourceRole,
  deleteResourceRole,
  addResourceRolePermissions,
  removeResourceRolePermissions,
  addResourceRoleParent,
  removeResourceRoleParent,
  addDerivation,
  removeDerivation,
  setDerivationConditions,
  createRelation,
  deleteRelation,
  createActionGroup,
  updateActionGroup,
  deleteActionGroup,
  createGroup,
  deleteGroup,
  addGroupUser,
  removeGroupUser,
  addGroupRole,
  removeGroupRole,
  addGroupToGroup,
  removeGroupFromGroup,
  createConditionSet,
  updateConditionSet,
  replaceConditionSet,
  deleteConditionSet,
  createAction,
  updateAction,
  deleteAction,
  createAttribute,
  updateAttribute,
  deleteAttribute,
  createUser,
  updateUser,
  replaceUser,
  deleteUser,
  createTenant,
  updateTenant,
  replaceTenant,
  deleteTenant,
  addTenantUser,
  removeTenantUser,
  assign,
  unassign,
  assignMany,
  unassignMany,
  createUsers,
  replaceUsers,
  deleteUsers,
  createTenants,
  deleteTenants,
  createInstance,
  updateInstance,
  replaceInstance,
  deleteInstance,
  putInstances,
  deleteInstances,
  createTuple,
  deleteTuple,
  createTuples,
  deleteTuples,
  createSetRule,
  deleteSetRule,
  createInvite,
  updateInvite,
  deleteInvite,
  approveInvite,
  createProxyConfig,
  updateProxyConfig,
  deleteProxyConfig,
  ...v1Writes,
  v1FirstWrite,
} as const satisfies UseCases

export type PapUseCases = typeof useCases
