// Every use case that writes, by name: the writer thread runs only these.
import type { UseCases } from '../store/view.ts'
import { v1FirstWrite } from '../v1/use-cases/global-environment.ts'
import { v1Writes } from '../v1/use-cases/v1-writes.ts'
import { createActionGroup, deleteActionGroup, updateActionGroup } from './action-groups/use-cases.ts'
import {
  createApiKey,
  deleteApiKey,
  noteRead,
  refuseMissing,
  rotateApiKey,
  rotatePdpKey,
} from './api-keys/use-cases.ts'
import { bootstrap } from './bootstrap.ts'
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
} from './bulk/use-cases.ts'
import {
  createConditionSet,
  deleteConditionSet,
  replaceConditionSet,
  updateConditionSet,
} from './condition-sets/use-cases.ts'
import { copyEnvironment } from './environments/copy.ts'
import {
  addGroupRole,
  addGroupToGroup,
  addGroupUser,
  createGroup,
  deleteGroup,
  removeGroupFromGroup,
  removeGroupRole,
  removeGroupUser,
} from './groups/use-cases.ts'
import { createInstance, deleteInstance, replaceInstance, updateInstance } from './instances/use-cases.ts'
import { approveInvite, createInvite, deleteInvite, updateInvite } from './invites/use-cases.ts'
import { applyPlan } from './plan/use-cases.ts'
import { importBundle } from './policy-file/import.ts'
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
} from './projects/use-cases.ts'
import { createProxyConfig, deleteProxyConfig, updateProxyConfig } from './proxy-configs/use-cases.ts'
import { createRelation, deleteRelation } from './relations/use-cases.ts'
import { addDerivation, removeDerivation, setDerivationConditions } from './resource-roles/derivations.ts'
import {
  addResourceRoleParent,
  addResourceRolePermissions,
  createResourceRole,
  deleteResourceRole,
  removeResourceRoleParent,
  removeResourceRolePermissions,
  replaceResourceRole,
  updateResourceRole,
} from './resource-roles/use-cases.ts'
import {
  createAction,
  createAttribute,
  deleteAction,
  deleteAttribute,
  updateAction,
  updateAttribute,
} from './resources/parts.ts'
import { createResource, deleteResource, replaceResource, updateResource } from './resources/use-cases.ts'
import { assign, unassign } from './role-assignments/use-cases.ts'
import { putRoles } from './roles/bulk-roles.ts'
import {
  addParent,
  addPermissions,
  createRole,
  deleteRole,
  removeParent,
  removePermissions,
  replaceRole,
  updateRole,
} from './roles/use-cases.ts'
import { createSetRule, deleteSetRule } from './set-rules/use-cases.ts'
import {
  addTenantUser,
  createTenant,
  deleteTenant,
  removeTenantUser,
  replaceTenant,
  updateTenant,
} from './tenants/use-cases.ts'
import { createTuple, deleteTuple } from './tuples/use-cases.ts'
import { createUser, deleteUser, replaceUser, updateUser } from './users/use-cases.ts'

export const useCases = {
  bootstrap,
  createApiKey,
  rotateApiKey,
  rotatePdpKey,
  deleteApiKey,
  noteRead,
  refuseMissing,
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
  applyPlan,
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

export type ManagementUseCases = typeof useCases
