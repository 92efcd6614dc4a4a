// One action on one resource type, resolved once per revision: the fastest way for one question about many users.
import type { Image } from '../image/image.ts'
import { ZerohopError } from '../model/errors.ts'
import { Handle, type HandleOptions } from './handle.ts'
import type { PdpSource } from './pdp-source.ts'
import type { PolicyTypes, UserIn } from './policy-types.ts'
import { isNone, toQuestion, type User, unreadable } from './request.ts'

/** Where a user may have a permission: without a key on the type, without a tenant as `check` without one. */
export interface PermissionScope<P extends PolicyTypes = PolicyTypes> {
  readonly tenant?: P['tenants'] | null
  readonly key?: string | null
}

type Unread = PermissionScope & { readonly attributes?: unknown; readonly relations?: unknown }

/** One action on one resource type. */
export class Permission<out P extends PolicyTypes = PolicyTypes> extends Handle<number> {
  readonly #action: string
  readonly #type: string

  constructor(source: PdpSource, action: string, type: string, options: HandleOptions) {
    super(source, options)
    this.#action = action
    this.#type = type
  }

  /** Like `Pdp.check` for this action on the type, or on its instance `key`. */
  allows(user: UserIn<P>, scope?: PermissionScope<P> | null): boolean {
    const image = this.source.take()
    try {
      const { tenant, key, attributes, relations }: Unread = scope ?? {}
      if (!isNone(attributes) || !isNone(relations))
        throw new ZerohopError('INPUT_INVALID', { reason: 'a permission takes no attributes or relations: use check' })
      if (this.isPlain && typeof user === 'string' && isNone(key) && (isNone(tenant) || typeof tenant === 'string'))
        return image.checkIn(user, tenant ?? undefined, this.resolvedIn(image))
      return this.#allowsAny(image, user, tenant, key)
    } catch (error) {
      throw unreadable(error)
    }
  }

  protected resolve(image: Image): number {
    return image.permission(this.#type, this.#action)
  }

  #allowsAny(image: Image, user: User, tenant: string | null | undefined, key: string | null | undefined): boolean {
    const resource = { type: this.#type, tenant: tenant ?? null, key: key ?? null }
    const asked = toQuestion(user, this.#action, resource)
    if (asked.sent !== undefined)
      throw new ZerohopError('INPUT_INVALID', { reason: 'a permission takes no attributes of the user: use check' })
    const decide = () => {
      const permission = this.resolvedIn(image)
      if (asked.key === undefined) return image.checkIn(asked.user, asked.tenant, permission)
      const tenantId = asked.tenant === undefined ? undefined : image.tenant(asked.tenant)
      return image.checkIdsOn(image.user(asked.user), tenantId, permission, asked.type, asked.key)
    }
    return this.isPlain ? decide() : this.answer(image, asked, decide)
  }
}
