// One user in one tenant, resolved once per revision: the fastest way for many checks of one user.
import type { Held, Image } from '../image/image.ts'
import { ZerohopError } from '../model/errors.ts'
import { Handle, type HandleOptions } from './handle.ts'
import type { PdpSource } from './pdp-source.ts'
import type { ActionOf, PolicyTypes, TypeOf } from './policy-types.ts'
import { toQuestion } from './request.ts'

/** One user in one tenant. */
export class Subject<out P extends PolicyTypes = PolicyTypes> extends Handle<Held> {
  readonly #user: string
  readonly #tenant: string | undefined

  constructor(source: PdpSource, user: string, tenant: string | undefined, options: HandleOptions) {
    super(source, options)
    this.#user = user
    this.#tenant = tenant
  }

  /** Like `Pdp.check` for this user in this tenant; `resource` is a type or `type:key`. */
  can<T extends TypeOf<P>>(action: ActionOf<P, T>, resource: T | `${T}:${string}`): boolean {
    const image = this.source.take()
    if (typeof action !== 'string' || typeof resource !== 'string')
      throw new ZerohopError('INPUT_INVALID', { reason: 'action and resource must be keys' })
    const held = this.resolvedIn(image)
    if (!this.isPlain) return this.#canAny(image, held, action, resource)
    const permission = image.permission(resource, action)
    if (permission !== 0) return image.checkHeld(held, permission)
    const colon = resource.indexOf(':')
    if (colon < 0) return image.checkHeld(held, 0)
    return this.#canOn(image, held, action, resource.slice(0, colon), resource.slice(colon + 1))
  }

  protected resolve(image: Image): Held {
    return image.hold(this.#user, this.#tenant)
  }

  #canOn(image: Image, { user, tenant }: Held, action: string, type: string, key: string): boolean {
    const tenantSent = this.#tenant === undefined ? undefined : tenant
    return image.checkIdsOn(user, tenantSent, image.permission(type, action), type, key)
  }

  #canAny(image: Image, held: Held, action: string, resource: string): boolean {
    const { type, key } = toQuestion(this.#user, action, resource)
    return this.answer(image, { user: this.#user, action, type, key, tenant: this.#tenant }, () =>
      key === undefined
        ? image.checkHeld(held, image.permission(type, action))
        : this.#canOn(image, held, action, type, key),
    )
  }
}
