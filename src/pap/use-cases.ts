// Every write of the project by name: what the writer thread can run. A use case that is not here cannot be committed.
import type { UseCases } from '../store/view.ts'
import { assign, unassign } from './assignments.ts'
import { bootstrap } from './bootstrap.ts'
import {
  createAction,
  createAttribute,
  deleteAction,
  deleteAttribute,
  updateAction,
  updateAttribute,
} from './collections/parts.ts'
import { createResource, deleteResource, replaceResource, updateResource } from './collections/resources.ts'
import {
  addPermissions,
  createRole,
  deleteRole,
  removePermissions,
  replaceRole,
  updateRole,
} from './collections/roles.ts'
import {
  addTenantUser,
  createTenant,
  deleteTenant,
  removeTenantUser,
  replaceTenant,
  updateTenant,
} from './collections/tenants.ts'
import { createUser, deleteUser, replaceUser, updateUser } from './collections/users.ts'

import {
  createEnvironment,
  createProject,
  deleteEnvironment,
  deleteProject,
  replaceEnvironment,
  replaceProject,
  updateEnvironment,
  updateOrganization,
  updateProject,
} from './general.ts'
import { createApiKey, deleteApiKey, noteRead, rotateApiKey, rotatePdpKey } from './keys.ts'

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
  createRole,
  updateRole,
  replaceRole,
  deleteRole,
  addPermissions,
  removePermissions,
  createResource,
  updateResource,
  replaceResource,
  deleteResource,
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
} as const satisfies UseCases

export type PapUseCases = typeof useCases
