// Validates attributes of users, tenants and instances against their declarations (on `__user`, on `__tenant`, on the
// resource type): a value of another type would count as missing in every condition (D7: missing values), so it is
// refused when written. `null` counts as absent.
import { isOfType } from '../../model/attribute-types.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { BODY, type Path, type Sent, settleAttributes } from './fields.ts'

/** Attributes after a write, as `settleAttributes`; `type` declares them. @throws ATTRIBUTE_ILL_TYPED too */
export function settleDeclared<T extends JsonObject | null>(
  view: View,
  type: string,
  [sent, current, fallback]: readonly [sent: Sent<JsonObject>, current: T, fallback: T],
  path: Path = [...BODY, 'attributes'],
): JsonObject | T {
  const settled = settleAttributes(sent, current, fallback, path)
  if (sent) requireTypes(view, type, sent, path)
  return settled
}

function requireTypes(view: View, type: string, attributes: JsonObject, path: Path): void {
  const { attributes: declared = [] } = view.get('built_in', type) ?? view.get('resource', type) ?? {}
  for (const { key, type: wanted } of declared) {
    const value = Object.hasOwn(attributes, key) ? attributes[key] : null
    if (value === null || isOfType(value, wanted)) continue
    throw new ZerohopError('ATTRIBUTE_ILL_TYPED', { attribute: key, type: wanted }, { path: [...path, key] })
  }
}
