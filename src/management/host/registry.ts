// Every use case that writes, by name: the writer thread runs only these.
import type { UseCases } from '../../store/view.ts'
import { v1FirstWrite } from '../../v1/use-cases/global-environment.ts'
import { v1Writes } from '../../v1/use-cases/v1-writes.ts'
import {
  approveAccessRequest,
  cancelAccessRequest,
  createAccessRequest,
  denyAccessRequest,
  revokeAccessRequest,
} from '../objects/access-requests.ts'
import {
  createActionGroup,
  deleteActionGroup,
  replaceActionGroup,
  updateActionGroup,
} from '../objects/action-groups.ts'
import {
  createApiKey,
  deleteApiKey,
  deleteDeadKeys,
  endOldSecret,
  noteRead,
  refuseMissing,
  rotateApiKey,
  rotatePdpKey,
} from '../objects/api-keys.ts'
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
} from '../objects/bulk.ts'
import { putRoles } from '../objects/bulk-roles.ts'
import { writeClaims } from '../objects/claims.ts'
import {
  createConditionSet,
  deleteConditionSet,
  replaceConditionSet,
  updateConditionSet,
} from '../objects/condition-sets.ts'
import { addDerivation, removeDerivation, setDerivationConditions } from '../objects/derivations.ts'
import {
  createDirectoryGroup,
  deleteDirectoryGroup,
  replaceDirectoryGroup,
  updateDirectoryGroup,
} from '../objects/directory-groups.ts'
import {
  createDirectoryUser,
  deleteDirectoryUser,
  replaceDirectoryUser,
  updateDirectoryUser,
} from '../objects/directory-users.ts'
import { logInToElements, logOutOfElements } from '../objects/elements-sessions.ts'
import { deleteEnded } from '../objects/ended.ts'
import { announceEnding } from '../objects/ending.ts'
import { writeFacts } from '../objects/fact-writes.ts'
import { createGroupRule, deleteGroupRule, replaceGroupRule, updateGroupRule } from '../objects/group-rules.ts'
import {
  addGroupRole,
  addGroupUser,
  createGroup,
  deleteGroup,
  removeGroupRole,
  removeGroupUser,
} from '../objects/groups.ts'
import { createInstance, deleteInstance, replaceInstance, updateInstance } from '../objects/instances.ts'
import { approveInvite, createInvite, deleteInvite, replaceInvite, updateInvite } from '../objects/invites.ts'
import { noteKeyUse } from '../objects/key-use.ts'
import {
  createEnvironment,
  createProject,
  deleteEnvironment,
  deleteProject,
  forgetEnvironment,
  replaceEnvironment,
  replaceOrganization,
  replaceProject,
  updateEnvironment,
  updateOrganization,
  updateProject,
} from '../objects/projects.ts'
import {
  createProxyConfig,
  deleteProxyConfig,
  replaceProxyConfig,
  updateProxyConfig,
} from '../objects/proxy-configs.ts'
import { createRelation, deleteRelation, replaceRelation, updateRelation } from '../objects/relations.ts'
import {
  createAction,
  createAttribute,
  deleteAction,
  deleteAttribute,
  replaceAction,
  replaceAttribute,
  updateAction,
  updateAttribute,
} from '../objects/resource-parts.ts'
import {
  addResourceRoleParent,
  addResourceRolePermissions,
  createResourceRole,
  deleteResourceRole,
  removeResourceRoleParent,
  removeResourceRolePermissions,
  replaceResourceRole,
  updateResourceRole,
} from '../objects/resource-roles.ts'
import { createResource, deleteResource, replaceResource, updateResource } from '../objects/resources.ts'
import { assign, putAssignment, putMembership, unassign } from '../objects/role-assignments.ts'
import {
  addParent,
  addPermissions,
  createRole,
  deleteRole,
  removeParent,
  removePermissions,
  replaceRole,
  updateRole,
} from '../objects/roles.ts'
import { createSetRule, deleteSetRule, putSetRule } from '../objects/set-rules.ts'
import { deleteSync, leaseSync, releaseSync, writeSyncSlice } from '../objects/syncs.ts'
import { cancelInTenant, inviteInTenant } from '../objects/tenant-invites.ts'
import { decideInTenant, requestInTenant } from '../objects/tenant-requests.ts'
import {
  addTenantRolePermissions,
  createTenantRole,
  deleteTenantRole,
  removeTenantRolePermissions,
  replaceTenantRole,
  updateTenantRole,
} from '../objects/tenant-roles.ts'
import { writeInTenant } from '../objects/tenant-writes.ts'
import { addTenantUser, removeTenantUser } from '../objects/tenants.ts'
import { createTuple, deleteTuple, putTuple } from '../objects/tuples.ts'
import { createUser, deleteUser, replaceUser, resumeUser, suspendUser, syncUser, updateUser } from '../objects/users.ts'
import { copyEnvironment } from '../plan/copy.ts'
import { importBundle } from '../plan/import.ts'
import { importFacts } from '../plan/import-facts.ts'
import { applyProposal, createProposal, rejectProposal, withdrawProposal } from '../plan/proposals.ts'
import { applyPlan } from '../plan/use-cases.ts'
import { withWarnings } from '../rules/lost-values.ts'
import { withRequests } from '../rules/request-effects.ts'
import { bootstrap } from './bootstrap.ts'
import { plainUseCases } from './plain-use-cases.ts'

const unwatched = {
  bootstrap,
  logInToElements,
  logOutOfElements,
  createApiKey,
  rotateApiKey,
  rotatePdpKey,
  endOldSecret,
  deleteApiKey,
  deleteDeadKeys,
  noteKeyUse,
  noteRead,
  refuseMissing,
  updateOrganization,
  replaceOrganization,
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
  importFacts,
  applyPlan,
  createProposal,
  withdrawProposal,
  rejectProposal,
  applyProposal,
  copyEnvironment,
  leaseSync,
  releaseSync,
  deleteSync,
  writeSyncSlice,
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
  updateRelation,
  replaceRelation,
  deleteRelation,
  createActionGroup,
  updateActionGroup,
  replaceActionGroup,
  deleteActionGroup,
  createGroup,
  deleteGroup,
  addGroupUser,
  removeGroupUser,
  addGroupRole,
  removeGroupRole,
  addGroupToGroup: addGroupRole,
  removeGroupFromGroup: removeGroupRole,
  createConditionSet,
  updateConditionSet,
  replaceConditionSet,
  deleteConditionSet,
  createAction,
  updateAction,
  replaceAction,
  deleteAction,
  createAttribute,
  updateAttribute,
  replaceAttribute,
  deleteAttribute,
  createUser,
  updateUser,
  replaceUser,
  resumeUser,
  suspendUser,
  syncUser,
  deleteUser,
  ...plainUseCases,
  addTenantUser,
  createTenantRole,
  updateTenantRole,
  deleteTenantRole,
  addTenantRolePermissions,
  removeTenantRolePermissions,
  replaceTenantRole,
  removeTenantUser,
  assign,
  putAssignment,
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
  putTuple,
  deleteTuple,
  createTuples,
  deleteTuples,
  deleteEnded,
  announceEnding,
  writeInTenant,
  createSetRule,
  putSetRule,
  deleteSetRule,
  putMembership,
  writeFacts,
  writeClaims,
  inviteInTenant,
  cancelInTenant,
  createInvite,
  updateInvite,
  replaceInvite,
  deleteInvite,
  approveInvite,
  createAccessRequest,
  approveAccessRequest,
  denyAccessRequest,
  cancelAccessRequest,
  revokeAccessRequest,
  requestInTenant,
  decideInTenant,
  createProxyConfig,
  updateProxyConfig,
  replaceProxyConfig,
  deleteProxyConfig,
  createDirectoryUser,
  updateDirectoryUser,
  replaceDirectoryUser,
  deleteDirectoryUser,
  createDirectoryGroup,
  updateDirectoryGroup,
  replaceDirectoryGroup,
  deleteDirectoryGroup,
  createGroupRule,
  updateGroupRule,
  replaceGroupRule,
  deleteGroupRule,
  ...v1Writes,
  v1FirstWrite,
} as const satisfies UseCases

export const useCases = withWarnings(withRequests(unwatched))

export type ManagementUseCases = typeof useCases
