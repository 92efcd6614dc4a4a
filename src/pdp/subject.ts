// One user in one tenant, resolved once per revision: the fastest way for many checks of one user.
import type { Image } from '../image/image.ts'
import { ZerohopError } from '../model/errors.ts'
import type { DecisionListener, PdpSource } from './pdp-source.ts'
import type { ActionOf, PolicyTypes, TypeOf } from './policy-types.ts'
import { toQuestion } from './request.ts'
import { requireNames } from './strict-names.ts'

interface SubjectOptions {
  readonly onDecision: DecisionListener | undefined
  /** refuses unknown names */
  readonly strict: boolean
}

/** One user in one tenant. */
export class Subject<out P extends PolicyTypes = PolicyTypes> {
  readonly #source: PdpSource
  readonly #user: string
  readonly #tenant: string | undefined
  readonly #options: SubjectOptions
  /** the image that the ids belong to, and its revision then: a delta may end an id, or make a key known */
  #image: Image | undefined
  #revision = 0
  #userId = 0
  #tenantId = 0

  constructor(source: PdpSource, user: string, tenant: string | undefined, options: SubjectOptions) {
    this.#source = source
    this.#user = user
    this.#tenant = tenant
    this.#options = options
  }

  /** Like `Pdp.check` for this user in this tenant; `resource` is a type or `type:key`. */
  can<T extends TypeOf<P>>(action: ActionOf<P, T>, resource: T | `${T}:${string}`): boolean {
    const image = this.#source.take()
    if (typeof action !== 'string' || typeof resource !== 'string')
      throw new ZerohopError('INPUT_INVALID', { reason: 'action and resource must be keys' })
    if (image !== this.#image || image.revision !== this.#revision) this.#resolve(image)
    if (this.#options.onDecision !== undefined || this.#options.strict) return this.#canAny(image, action, resource)
    const permission = image.permission(resource, action)
    if (permission !== 0) return image.checkIds(this.#userId, this.#tenantId, permission)
    const colon = resource.indexOf(':')
    if (colon < 0) return image.checkIds(this.#userId, this.#tenantId, 0)
    return this.#canOn(image, action, resource.slice(0, colon), resource.slice(colon + 1))
  }

  #canOn(image: Image, action: string, type: string, key: string): boolean {
    const tenant = this.#tenant === undefined ? undefined : this.#tenantId
    return image.checkIdsOn(this.#userId, tenant, image.permission(type, action), type, key)
  }

  #resolve(image: Image): void {
    this.#image = image
    this.#revision = image.revision
    this.#userId = image.user(this.#user)
    this.#tenantId = image.tenant(this.#tenant)
  }

  #canAny(image: Image, action: string, resource: string): boolean {
    const { type, key } = toQuestion(this.#user, action, resource)
    if (this.#options.strict) requireNames(image.names, { type, action, tenant: this.#tenant })
    const allow =
      key === undefined
        ? image.checkIds(this.#userId, this.#tenantId, image.permission(type, action))
        : this.#canOn(image, action, type, key)
    const tenant = image.resolveTenant(type, this.#tenant, key)
    const asked = { user: this.#user, action, resource: { type, key, tenant } }
    this.#source.enter(image)
    try {
      this.#options.onDecision?.(image, { ...asked, allow, revision: image.revision, now: this.#source.nowRead })
    } finally {
      this.#source.leave()
    }
    return allow
  }
}
