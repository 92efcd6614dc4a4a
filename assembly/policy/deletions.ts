// What goes when an object goes (D11): its lists, its values and everything that hangs on it, and then its key is
// unknown. Deleting a role, a set or an instance is in the file of each.
import { Document, Permission, Principal, Resource } from '../abi'
import { Table } from '../limits'
import { isLive, tombstone } from '../memory/symbols'
import { discard, setAttributes } from '../memory/values'
import { deletePartyGrants } from './grants'
import { deletePartyMembers } from './memberships'
import { permissionRecord } from './permissions'
import { withdraw } from './roles'
import { deletePermissionSetRules } from './set-rules'
import { resume } from './suspensions'

/** An action is gone: no role has its permission from then on, and its name is unknown (D1, D11). */
export function deletePermission(id: u32): void {
  const record = permissionRecord(id)
  if (record === 0 || !isLive(record)) return
  // One that stands for a role goes with the last set rule whose user set the role is.
  if (load<u32>(record, Permission.Role) !== 0) return
  if (load<u32>(record, Permission.Holders) !== 0) withdraw(id)
  deletePermissionSetRules(id)
  tombstone(Table.Permissions, record)
}

/** A resource type is gone, with all its permissions. */
export function deleteResource(resource: u32): void {
  for (
    let record = load<u32>(resource, Resource.Permissions);
    record !== 0;
    record = load<u32>(record, Permission.Next)
  ) {
    deletePermission(load<u32>(record, Permission.Id))
  }
  discard(load<u32>(resource, Resource.Attributes))
  store<u32>(resource, 0, Resource.Attributes)
  tombstone(Table.Resources, resource)
}

export function deleteUser(user: u32): void {
  /* canary: suspension-of-the-deleted */ resume(user)
  deletePartyGrants(user)
  deletePartyMembers(user)
  setAttributes(user, Principal.Attributes, 0)
  tombstone(Table.Users, user)
}

export function deleteTenant(tenant: u32): void {
  deletePartyGrants(tenant)
  deletePartyMembers(tenant)
  setAttributes(tenant, Principal.Attributes, 0)
  tombstone(Table.Tenants, tenant)
}

/** Deletes a document; does nothing for 0. */
export function deleteDocument(document: u32): void {
  if (document === 0) return
  setAttributes(document, Document.Value, 0)
  tombstone(Table.Documents, document)
}
