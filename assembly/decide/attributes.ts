// Where the value of a path comes from (D8): generated, sent, stored; and when it is as good as missing (D7). Writes
// only the encoded area, behind what was sent.
import {
  AttributePath,
  CELL_BYTES,
  Cell,
  Composite,
  ENCODED,
  Grant,
  Header,
  Member,
  Names,
  Permission,
  Principal,
  Query,
  Resource,
  SENT,
} from '../abi'
import { ENCODED_BYTES, Kind, Source, Type } from '../limits'
import { linksMax } from '../memory/lists'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { findMemberCell } from '../memory/values'
import { copyRoles, findGrant, findGrantStored, isGrantInForce, roleCountStored } from '../policy/grants'
import { findMember, tenantOfScope } from '../policy/memberships'
import { permissionRecord } from '../policy/permissions'
import { count } from './compare'
import { parseInstant } from './instants'

/** Begins a question; what was sent ends at `end` in the encoded area. */
export function ask(query: u32, user: u32, tenant: u32, permission: u32, instance: u32, end: u32): void {
  store<u32>(query, user, Query.User)
  store<u32>(query, tenant, Query.Tenant)
  store<u32>(query, instance, Query.Instance)
  store<u32>(query, load<u32>(permissionRecord(permission), Permission.Resource), Query.Type)
  store<u32>(query, end, Query.SentEnd)
  store<u32>(query, 0, Query.IsTime)
  resetGenerated(query)
}

/** Gives the room of generated values back: no program looks at what was found for another. */
export function resetGenerated(query: u32): void {
  store<u32>(query, load<u32>(query, Query.SentEnd), Query.Free)
  store<u32>(query, 0, Query.IsFull)
}

export function typeAsked(query: u32): u32 {
  return load<u32>(query, Query.Type)
}

/** The grant of the user in the tenant, or 0; perhaps none of its roles is in force. */
export function grantAskedStored(query: u32): u32 {
  return findGrantStored(load<u32>(query, Query.User), load<u32>(query, Query.Tenant))
}

/** Is the value that `resolve` found compared as an instant (D9)? */
export function resolvedTime(query: u32): bool {
  return load<u32>(query, Query.IsTime) !== 0
}

/** Is the encoded area full: could the check not decide (D13)? */
export function isOverfull(query: u32): bool {
  return load<u32>(query, Query.IsFull) !== 0
}

/** `resolve`, for explain: `Query.Refused` then is the value that is there but not of its declared type. */
export function resolveAlone(query: u32, path: u32): u32 {
  store<u32>(query, 0, Query.Refused)
  return resolve(query, path)
}

/** The cell of a path that does not begin at an item; 0 when it is missing or not of its declared type. */
export function resolve(query: u32, path: u32): u32 {
  store<u32>(query, 0, Query.IsTime)
  const user = load<u32>(query, Query.User)
  const source = load<u32>(path, AttributePath.Source)
  const sent = load<u32>(SENT + load<u32>(path, AttributePath.Number) * 4)
  switch (source) {
    case Source.User:
      return declared(query, field(Header.UserType), path, sent, load<u32>(user, Principal.Attributes))
    case Source.Resource: {
      const instance = load<u32>(query, Query.Instance)
      const stored = instance === 0 ? 0 : load<u32>(instance, Principal.Attributes)
      return declared(query, typeAsked(query), path, sent, stored)
    }
    case Source.Tenant: {
      const tenant = load<u32>(query, Query.Tenant)
      const stored = belongs(query, user, tenant) ? load<u32>(tenant, Principal.Attributes) : 0
      return declared(query, field(Header.TenantType), path, 0, stored)
    }
    case Source.Now:
      store<u32>(query, 1, Query.IsTime)
      return present(sent)
    case Source.Context:
    case Source.Action:
      return present(sent)
    case Source.ResourceKey:
      return inside(present(sent), path)
    default:
      return inside(generated(query, source), path)
  }
}

/** The cell of a path inside an item of a match: a plain value, or a stored instance and its type. */
export function resolveItem(query: u32, path: u32, item: u32, ofInstance: u32, ofType: u32): u32 {
  store<u32>(query, 0, Query.IsTime)
  if (ofInstance !== 0) return declared(query, ofType, path, 0, load<u32>(ofInstance, Principal.Attributes))
  if (load<u32>(item, Cell.Kind) !== Kind.Object) return 0
  return member(query, load<u32>(item, Cell.Value), path)
}

/** What was sent, when it is a value. */
function present(cell: u32): u32 {
  return cell === 0 || load<u32>(cell, Cell.Kind) === Kind.Missing ? 0 : cell
}

/** D8: what was sent hides what is stored. D7: what is not of its declared type is missing. */
function declared(query: u32, resource: u32, path: u32, sent: u32, stored: u32): u32 {
  const names = load<u32>(path, AttributePath.Names)
  const declaredType = declaredAs(resource, load<u32>(names, Names.Texts))
  let cell = sent
  if (cell === 0) cell = stored === 0 ? 0 : member(query, stored, path)
  cell = present(cell)
  if (cell === 0 || declaredType === Type.Json) return cell
  // Nothing but an object has members.
  if (load<u32>(names, Names.Count) > 1) return declaredType === Type.Object ? cell : 0
  if (!hasType(query, cell, declaredType)) {
    store<u32>(query, cell, Query.Refused)
    store<u32>(query, load<u32>(query, Query.Refusals) + 1, Query.Refusals)
    return 0
  }
  if (declaredType === Type.Time) store<u32>(query, 1, Query.IsTime)
  return cell
}

function declaredAs(resource: u32, name: u32): u32 {
  if (resource === 0 || !isLive(resource)) return Type.Json
  const types = load<u32>(resource, Resource.Attributes)
  const cell = types === 0 ? 0 : findMemberCell(types, name)
  return cell === 0 ? Type.Json : (load<f64>(cell, Cell.Value) as u32)
}

function hasType(query: u32, cell: u32, declaredType: u32): bool {
  const kind = load<u32>(cell, Cell.Kind)
  switch (declaredType) {
    case Type.Bool:
      return kind === Kind.False || kind === Kind.True
    case Type.Number:
      return kind === Kind.Number
    case Type.String:
      return kind === Kind.Text || kind === Kind.Key
    case Type.Time: {
      const instant = parseInstant(cell)
      return !Number.isNaN(instant)
    }
    case Type.Array:
      return kind === Kind.List
    case Type.Object:
      return kind === Kind.Object
    case Type.ObjectArray:
      return kind === Kind.List && holdsObjects(query, load<u32>(cell, Cell.Value))
    default:
      return true
  }
}

function holdsObjects(query: u32, list: u32): bool {
  const length = load<u32>(list, Composite.Count)
  if (!count(query, length)) return false
  for (let index: u32 = 0; index < length; index++) {
    if (load<u32>(list + Composite.Cells + index * CELL_BYTES, Cell.Kind) !== Kind.Object) return false
  }
  return true
}

/** The cell at the end of a path's names, from an object; 0 when a name is missing. */
function member(query: u32, composite: u32, path: u32): u32 {
  const names = load<u32>(path, AttributePath.Names)
  const length = load<u32>(names, Names.Count)
  let at = composite
  let cell: u32 = 0
  for (let index: u32 = 0; index < length; index++) {
    if (index !== 0) {
      if (load<u32>(cell, Cell.Kind) !== Kind.Object) return 0
      at = load<u32>(cell, Cell.Value)
    }
    if (!count(query, load<u32>(at, Composite.Count) >>> 2)) return 0
    cell = findMemberCell(at, load<u32>(names + index * 4, Names.Texts))
    if (cell === 0) return 0
  }
  return cell
}

/** A key and a generated value have no members. */
function inside(cell: u32, path: u32): u32 {
  return load<u32>(load<u32>(path, AttributePath.Names), Names.Count) === 1 ? cell : 0
}

function generated(query: u32, source: u32): u32 {
  switch (source) {
    case Source.UserKey:
      return keyCell(query, load<u32>(query, Query.User))
    case Source.UserRoles:
      return rolesCell(query)
    case Source.UserTenants:
      return tenantsCell(query)
    case Source.ResourceType:
      return keyCell(query, typeAsked(query))
    default:
      return keyCell(query, load<u32>(query, Query.Tenant)) // resource.tenant, tenant.key
  }
}

/** Room in the encoded area, or 0. */
function take(query: u32, bytes: u32): u32 {
  const at = load<u32>(query, Query.Free)
  if (bytes > ((ENCODED + ENCODED_BYTES) as u32) - at) {
    store<u32>(query, 1, Query.IsFull)
    return 0
  }
  store<u32>(query, at + bytes, Query.Free)
  return at
}

function keyCell(query: u32, symbol: u32): u32 {
  const cell = take(query, CELL_BYTES)
  if (cell !== 0) setKey(cell, symbol)
  return cell
}

function setKey(cell: u32, symbol: u32): void {
  store<u32>(cell, 0, Cell.Name)
  store<u32>(cell, Kind.Key, Cell.Kind)
  store<u32>(cell, symbol, Cell.Value)
}

/** A cell of a list with room for so many cells, or 0. */
function listCell(query: u32, length: u32): u32 {
  const cell = take(query, CELL_BYTES + Composite.Cells + length * CELL_BYTES)
  if (cell === 0) return 0
  const list = cell + CELL_BYTES
  store<u32>(cell, 0, Cell.Name)
  store<u32>(cell, Kind.List, Cell.Kind)
  store<u32>(cell, list, Cell.Value)
  store<u32>(list, length, Composite.Count)
  return cell
}

/** D6: the roles assigned in the tenant that are in force. */
function rolesCell(query: u32): u32 {
  const grant = /* canary: roles-of-everybody */ grantAskedStored(query)
  const roles = grant === 0 ? 0 : load<u32>(grant, Grant.Roles)
  const most: u32 = roles === 0 ? 0 : roleCountStored(roles)
  const cell = listCell(query, most)
  if (cell === 0 || most === 0) return cell
  const cells = cell + CELL_BYTES + Composite.Cells
  // The addresses first, then each made a cell, from the end: a cell is larger.
  const length = copyRoles(query, roles, cells)
  store<u32>(load<u32>(cell, Cell.Value), length, Composite.Count)
  for (let index = length; index > 0; index--) {
    setKey(cells + (index - 1) * CELL_BYTES, load<u32>(cells + (index - 1) * 4))
  }
  return cell
}

/**
 * D6: the tenants in which the user has a role that is in force (also on an instance) or a membership; one may stand there
 * twice.
 */
function tenantsCell(query: u32): u32 {
  const user = /* canary: tenants-of-whom */ load<u32>(query, Query.User)
  let length: u32 = 0
  let steps: u32 = 0
  const most = linksMax()
  for (let grant = load<u32>(user, Principal.Grants); grant !== 0; grant = load<u32>(grant, Grant.NextOfUser)) {
    if (++steps > most) unreachable()
    if (/* canary: tenants-in-force */ isGrantInForce(query, grant)) length++
  }
  for (let each = load<u32>(user, Principal.Members); each !== 0; each = load<u32>(each, Member.NextOfUser)) {
    if (++steps > most) unreachable()
    length++
  }
  if (!count(query, steps)) return 0
  const cell = listCell(query, length)
  if (cell === 0) return 0
  let at = cell + CELL_BYTES + Composite.Cells
  for (let grant = load<u32>(user, Principal.Grants); grant !== 0; grant = load<u32>(grant, Grant.NextOfUser)) {
    if (/* canary: tenants-of-grants-in-force */ !isGrantInForce(query, grant)) continue
    setKey(at, tenantOfScope(load<u32>(grant, Grant.Scope)))
    at += CELL_BYTES
  }
  for (let each = load<u32>(user, Principal.Members); each !== 0; each = load<u32>(each, Member.NextOfUser)) {
    setKey(at, load<u32>(each, Member.Tenant))
    at += CELL_BYTES
  }
  return cell
}

/** D6: has the user a membership of the tenant, or a role in it or on an instance of it, which is in force? */
function belongs(query: u32, user: u32, tenant: u32): bool {
  if (/* canary: tenants-by-everybody */ findMember(user, tenant) !== 0 || findGrant(query, user, tenant) !== 0)
    return true
  for (let grant = load<u32>(user, Principal.Grants); grant !== 0; grant = load<u32>(grant, Grant.NextOfUser)) {
    if (!count(query, 1)) return false
    if (
      tenantOfScope(load<u32>(grant, Grant.Scope)) === tenant &&
      /* canary: belonging-in-force */ isGrantInForce(query, grant)
    )
      return true
  }
  return false
}
