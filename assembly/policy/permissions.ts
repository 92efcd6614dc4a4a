// Resources and their permissions. A permission is the symbol `resource:action`; its id is dense, so that it can be a
// bit. Its record is found by id through a directory that grows by doubling (4 bytes an entry; records never move).
import { Header, Permission, Resource } from '../abi'
import { PERMISSIONS_MAX, Table } from '../limits'
import { assertEntered } from '../memory/checked'
import { allocate, field, release, setField } from '../memory/memory'
import { find, intern } from '../memory/symbols'

/** The record of a permission id; 0 when it has none. */
export function permissionRecord(id: u32): u32 {
  /* canary: permissions-that-are-not-there */
  if (id === 0 || id > field(Header.PermissionTop)) return 0
  if (!ASC_NO_ASSERT) assertEntered(id)
  return load<u32>(field(Header.PermissionDirectory) + id * 4)
}

/** The id of the live permission whose key is at `start`, or 0. */
export function findPermission(start: u32, length: u32): u32 {
  const record = find(Table.Permissions, start, length)
  return record === 0 ? 0 : load<u32>(record, Permission.Id)
}

/** Makes the permission whose key (`resource:action`) is at `start` live and returns its id. 0: no id is left. */
export function putPermission(resource: u32, start: u32, length: u32): u32 {
  const known = find(Table.Permissions, start, length)
  if (known !== 0) return load<u32>(known, Permission.Id)
  const record = intern(Table.Permissions, start, length)
  if (load<u32>(record, Permission.Id) === 0) {
    const id = field(Header.PermissionTop) + 1
    if (id > (PERMISSIONS_MAX as u32)) unreachable()
    enter(id, record)
    store<u32>(record, id, Permission.Id)
    store<u32>(record, resource, Permission.Resource)
    store<u32>(record, load<u32>(resource, Resource.Permissions), Permission.Next)
    store<u32>(resource, record, Resource.Permissions)
  }
  return load<u32>(record, Permission.Id)
}

function enter(id: u32, record: u32): void {
  const capacity = field(Header.PermissionCapacity)
  if (id >= capacity) {
    const larger: u32 = capacity === 0 ? 128 : capacity * 2
    const directory = allocate(larger * 4)
    if (capacity !== 0) {
      const old = field(Header.PermissionDirectory)
      memory.copy(directory, old, capacity * 4)
      release(old, capacity * 4)
    }
    setField(Header.PermissionDirectory, directory)
    setField(Header.PermissionCapacity, larger)
  }
  store<u32>(field(Header.PermissionDirectory) + id * 4, record)
  setField(Header.PermissionTop, id)
}

export function countHolder(id: u32, amount: i32): void {
  const record = permissionRecord(id)
  store<u32>(record, load<u32>(record, Permission.Holders) + amount, Permission.Holders)
}
