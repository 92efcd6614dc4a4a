// What the first API version keeps about an object, as the second one writes it: fields `v1compat_…`. What is not sent
// stays, under PUT too: it is of v1, and clients of v2 do not send it. It bears on no decision.

import type { V1Action, V1Resource } from '../../kinds/resource.ts'
import type { V1Role } from '../../kinds/role.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { ResourceUpdate } from '../schemas/resources.ts'
import type { RoleUpdate } from '../schemas/roles.ts'
import { type Path, settleAttributes, settleText } from './fields.ts'

type V1Texts = Pick<ResourceUpdate, 'v1compat_path' | 'v1compat_type' | 'v1compat_name'>
type V1Objects = Pick<RoleUpdate, 'v1compat_settings' | 'v1compat_attributes'>
/** The member is absent when nothing is keepSettled. */
interface Said<T> {
  readonly v1?: T
}

export function v1OfResource(sent: V1Texts & Said<V1Resource>, stored: V1Resource | undefined, path: Path) {
  return keepSettled(sent, stored, {
    path: settleText(sent.v1compat_path, stored?.path ?? null, 'v1compat_path', path),
    type: settleText(sent.v1compat_type, stored?.type ?? null, 'v1compat_type', path),
    name: settleText(sent.v1compat_name, stored?.name ?? null, 'v1compat_name', path),
  })
}

export function v1OfAction(sent: V1Texts & Said<V1Action>, stored: V1Action | undefined, path: Path) {
  return keepSettled(sent, stored, {
    path: settleText(sent.v1compat_path, stored?.path ?? null, 'v1compat_path', path),
    name: settleText(sent.v1compat_name, stored?.name ?? null, 'v1compat_name', path),
  })
}

export function v1OfRole(sent: V1Objects & Said<V1Role>, stored: V1Role | undefined, path: Path) {
  const settled = (field: keyof V1Objects, current: JsonObject | null | undefined) =>
    settleAttributes<JsonObject | null>(sent[field], current ?? null, null, [...path, field])
  return keepSettled(sent, stored, {
    settings: settled('v1compat_settings', stored?.settings),
    attributes: settled('v1compat_attributes', stored?.attributes),
  })
}

/** A write of v1 says the whole; one of v2 the fields that it sends. */
function keepSettled<T extends object>(sent: Said<T> & object, stored: T | undefined, settled: T): Said<T> {
  if (sent.v1 !== undefined) return { v1: sent.v1 }
  if (!Object.entries(sent).some(([name, value]) => name.startsWith('v1compat_') && value !== undefined))
    return stored === undefined ? {} : { v1: stored }
  return Object.values(settled).every((value) => value === null) ? {} : { v1: settled }
}
