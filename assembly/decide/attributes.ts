// Where the value of a path comes from (D8): generated, sent, stored; and when it is as good as missing (D7). Writes only the encoded
// area, behind what was sent.
import {
  AttributePath,
  CELL_BYTES,
  Cell,
  Composite,
  ENCODED,
  ENCODED_BYTES,
  Grant,
  Header,
  Kind,
  Member,
  Permission,
  Principal,
  Resource,
  SENT,
  Source,
  Type,
} from '../abi'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { memberOf } from '../memory/values'
import { copyRoles, findGrant, roleCount } from '../policy/grants'
import { findMember, tenantOfScope } from '../policy/memberships'
import { permissionRecord } from '../policy/permissions'
import { count } from './compare'
import { instantOf } from './instants'

/** The question that is being decided. Set by `ask`, means nothing after the call. */
let user: u32 = 0
let tenant: u32 = 0
let instance: u32 = 0
let type: u32 = 0
/** Where what was sent ends in the encoded area, and the first free byte behind it. */
let sentEnd: u32 = 0
let free: u32 = 0

/** The value that `resolve` found is compared as an instant (D9). */
let isTime: bool = false
/** The encoded area is full: the check could not decide (D13). */
let isFull: bool = false
/** The last value that was not of its declared type; for explain, which forgets it first. */
let refused: u32 = 0
/** How many there were since this memory is open. */
let refusals: u32 = 0

/** Begins a question; what was sent ends at `end` in the encoded area. */
export function ask(userId: u32, tenantId: u32, permission: u32, instanceId: u32, end: u32): void {
  user = userId
  tenant = tenantId
  instance = instanceId
  type = load<u32>(permissionRecord(permission), Permission.Resource)
  sentEnd = end
  isTime = false
  resetGenerated()
}

/** Gives the room of generated values back: no program looks at what was found for another. */
export function resetGenerated(): void {
  free = sentEnd
  isFull = false
}

export function typeAsked(): u32 {
  return type
}

/** The grant of the user in the tenant, or 0. */
export function grantAsked(): u32 {
  return findGrant(user, tenant)
}

export function resolvedTime(): bool {
  return isTime
}

export function isOverfull(): bool {
  return isFull
}

/** `resolve`, for explain: `refusedCell` then is the value that is there but not of its declared type. */
export function resolveAlone(path: u32): u32 {
  refused = 0
  return resolve(path)
}

export function refusedCount(): u32 {
  return refusals
}

export function refusedCell(): u32 {
  return refused
}

/** The cell of a path that does not begin at an item; 0 when it is missing or not of its declared type. */
export function resolve(path: u32): u32 {
  isTime = false
  const source = load<u32>(path, AttributePath.Source)
  const sent = load<u32>(SENT + load<u32>(path, AttributePath.Number) * 4)
  switch (source) {
    case Source.User:
      return declared(field(Header.UserType), path, sent, load<u32>(user, Principal.Attributes))
    case Source.Resource:
      return declared(type, path, sent, instance === 0 ? 0 : load<u32>(instance, Principal.Attributes))
    case Source.Tenant:
      return declared(
        field(Header.TenantType),
        path,
        0,
        belongs(user, tenant) ? load<u32>(tenant, Principal.Attributes) : 0,
      )
    case Source.Now:
      isTime = true
      return present(sent)
    case Source.Context:
    case Source.Action:
      return present(sent)
    case Source.ResourceKey:
      return inside(present(sent), path)
    default:
      return inside(generated(source), path)
  }
}

/** The cell of a path inside an item of a match: a plain value, or a stored instance and its type. */
export function resolveItem(path: u32, item: u32, ofInstance: u32, ofType: u32): u32 {
  isTime = false
  if (ofInstance !== 0) return declared(ofType, path, 0, load<u32>(ofInstance, Principal.Attributes))
  if (load<u32>(item, Cell.Kind) !== Kind.Object) return 0
  return member(load<u32>(item, Cell.Value), path)
}

/** What was sent, when it is a value. */
function present(cell: u32): u32 {
  return cell === 0 || load<u32>(cell, Cell.Kind) === Kind.Missing ? 0 : cell
}

/** D8: what was sent hides what is stored. D7: what is not of its declared type is missing. */
function declared(resource: u32, path: u32, sent: u32, stored: u32): u32 {
  const names = load<u32>(path, AttributePath.Names)
  const declaredType = declaredAs(resource, load<u32>(names, 4))
  let cell = sent
  if (cell === 0) cell = stored === 0 ? 0 : member(stored, path)
  cell = present(cell)
  if (cell === 0 || declaredType === Type.Json) return cell
  // Nothing but an object has members.
  if (load<u32>(names) > 1) return declaredType === Type.Object ? cell : 0
  if (!hasType(cell, declaredType)) {
    refused = cell
    refusals++
    return 0
  }
  isTime = declaredType === Type.Time
  return cell
}

function declaredAs(resource: u32, name: u32): u32 {
  if (resource === 0 || !isLive(resource)) return Type.Json
  const types = load<u32>(resource, Resource.Attributes)
  const cell = types === 0 ? 0 : memberOf(types, name)
  return cell === 0 ? Type.Json : (load<f64>(cell, Cell.Value) as u32)
}

function hasType(cell: u32, declaredType: u32): bool {
  const kind = load<u32>(cell, Cell.Kind)
  switch (declaredType) {
    case Type.Bool:
      return kind === Kind.False || kind === Kind.True
    case Type.Number:
      return kind === Kind.Number
    case Type.String:
      return kind === Kind.Text || kind === Kind.Key
    case Type.Time: {
      const instant = instantOf(cell)
      return !Number.isNaN(instant)
    }
    case Type.Array:
      return kind === Kind.List
    case Type.Object:
      return kind === Kind.Object
    case Type.ObjectArray:
      return kind === Kind.List && holdsObjects(load<u32>(cell, Cell.Value))
    default:
      return true
  }
}

function holdsObjects(list: u32): bool {
  const length = load<u32>(list, Composite.Count)
  if (!count(length)) return false
  for (let index: u32 = 0; index < length; index++) {
    if (load<u32>(list + Composite.Cells + index * CELL_BYTES, Cell.Kind) !== Kind.Object) return false
  }
  return true
}

/** The cell at the end of a path's names, from an object; 0 when there is none. */
function member(composite: u32, path: u32): u32 {
  const names = load<u32>(path, AttributePath.Names)
  const length = load<u32>(names)
  let at = composite
  let cell: u32 = 0
  for (let index: u32 = 0; index < length; index++) {
    if (index !== 0) {
      if (load<u32>(cell, Cell.Kind) !== Kind.Object) return 0
      at = load<u32>(cell, Cell.Value)
    }
    if (!count(load<u32>(at, Composite.Count) >>> 2)) return 0
    cell = memberOf(at, load<u32>(names + 4 + index * 4))
    if (cell === 0) return 0
  }
  return cell
}

/** A key and a generated value have no members. */
function inside(cell: u32, path: u32): u32 {
  return load<u32>(load<u32>(path, AttributePath.Names)) === 1 ? cell : 0
}

function generated(source: u32): u32 {
  switch (source) {
    case Source.UserKey:
      return keyCell(user)
    case Source.UserRoles:
      return rolesCell()
    case Source.UserTenants:
      return tenantsCell()
    case Source.ResourceType:
      return keyCell(type)
    default:
      return keyCell(tenant) // resource.tenant, tenant.key
  }
}

/** Room in the encoded area, or 0. */
function take(bytes: u32): u32 {
  const at = free
  if (bytes > ((ENCODED + ENCODED_BYTES) as u32) - at) {
    isFull = true
    return 0
  }
  free += bytes
  return at
}

function keyCell(symbol: u32): u32 {
  const cell = take(CELL_BYTES)
  if (cell !== 0) setKey(cell, symbol)
  return cell
}

function setKey(cell: u32, symbol: u32): void {
  store<u32>(cell, 0, Cell.Name)
  store<u32>(cell, Kind.Key, Cell.Kind)
  store<u32>(cell, symbol, Cell.Value)
}

/** A cell of a list with room for so many cells, or 0. */
function listCell(length: u32): u32 {
  const cell = take(CELL_BYTES + Composite.Cells + length * CELL_BYTES)
  if (cell === 0) return 0
  const list = cell + CELL_BYTES
  store<u32>(cell, 0, Cell.Name)
  store<u32>(cell, Kind.List, Cell.Kind)
  store<u32>(cell, list, Cell.Value)
  store<u32>(list, length, Composite.Count)
  return cell
}

/** D6: the roles assigned in the tenant. */
function rolesCell(): u32 {
  const grant = grantAsked()
  const roles = grant === 0 ? 0 : load<u32>(grant, Grant.Roles)
  const length: u32 = roles === 0 ? 0 : roleCount(roles)
  const cell = listCell(length)
  if (cell === 0 || length === 0) return cell
  const cells = cell + CELL_BYTES + Composite.Cells
  // The addresses first, then each made a cell, from the end: a cell is larger.
  copyRoles(roles, cells)
  for (let index = length; index > 0; index--) {
    setKey(cells + (index - 1) * CELL_BYTES, load<u32>(cells + (index - 1) * 4))
  }
  return cell
}

/** D6: the tenants in which the user has a role (also on an instance) or a membership; one may stand there twice. */
function tenantsCell(): u32 {
  let length: u32 = 0
  for (let grant = load<u32>(user, Principal.Grants); grant !== 0; grant = load<u32>(grant, Grant.NextOfUser)) length++
  for (let each = load<u32>(user, Principal.Members); each !== 0; each = load<u32>(each, Member.NextOfUser)) length++
  if (!count(length)) return 0
  const cell = listCell(length)
  if (cell === 0) return 0
  let at = cell + CELL_BYTES + Composite.Cells
  for (let grant = load<u32>(user, Principal.Grants); grant !== 0; grant = load<u32>(grant, Grant.NextOfUser)) {
    setKey(at, tenantOfScope(load<u32>(grant, Grant.Scope)))
    at += CELL_BYTES
  }
  for (let each = load<u32>(user, Principal.Members); each !== 0; each = load<u32>(each, Member.NextOfUser)) {
    setKey(at, load<u32>(each, Member.Tenant))
    at += CELL_BYTES
  }
  return cell
}

/** D6: has the user a membership of the tenant, or a role in it or on an instance of it? */
function belongs(user: u32, tenant: u32): bool {
  if (findGrant(user, tenant) !== 0 || findMember(user, tenant) !== 0) return true
  for (let grant = load<u32>(user, Principal.Grants); grant !== 0; grant = load<u32>(grant, Grant.NextOfUser)) {
    if (!count(1)) return false
    if (tenantOfScope(load<u32>(grant, Grant.Scope)) === tenant) return true
  }
  return false
}
