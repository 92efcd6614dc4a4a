// Since when an answer is another one, where time makes it so: for the flips of one page of an access diff of two instants.
import type { AccessFlip } from '../../model/access-diff.ts'
import { ACCESS_SINCE_STEPS_MAX, ACCESS_SINCE_WORK_MAX } from '../../model/limits.ts'
import { formatInstant } from '../../model/print-time.ts'
import type { Image } from '../image.ts'
import { findHolder, findInstance, findSymbol } from '../look-up.ts'
import { ownAlone } from '../records/everybody.ts'
import { Meter } from './meter.ts'
import { Side } from './side.ts'

/**
 * The same flips; those that time makes have `since`, the last instant at which the answer became what it then is.
 * @param from ms since 1970, and `to` later: the two instants
 */
export function withSince(image: Image, flips: readonly AccessFlip[], from: number, to: number): AccessFlip[] {
  return flips.map((flip) => {
    const since = findSince(image, flip, from, to)
    return since === undefined ? flip : { ...flip, since: formatInstant(since) }
  })
}

/** Undefined when it is so from the first instant on, or is not found within the limits. */
function findSince(image: Image, flip: AccessFlip, from: number, to: number): number | undefined {
  const { user, action, resource } = flip
  const ask = (now: number) => isAllowed(image, flip, now)
  const readsTime = image.attributesRead(resource.type, action).context.includes('now')
  let [now, answer] = [from, ask(from)]
  if (answer === ask(to)) return undefined
  let since: number | undefined
  const become = (at: number): void => {
    now = at
    const is = ask(at)
    if (is !== answer) since = at
    answer = is
  }
  for (let steps = 0; now < to; steps++) {
    const next = image.guardAt(now, () => image.nextChangeFor(user, ACCESS_SINCE_WORK_MAX))
    if (next === undefined || steps === ACCESS_SINCE_STEPS_MAX) return undefined
    const end = Math.min(next, to)
    // until then only conditions make another answer, at an instant that is sought
    if (readsTime && ask(end - 1) !== answer) become(findTurn(ask, now, end - 1))
    become(end)
  }
  return since
}

/** An instant at which the answer is another one than a millisecond before, where it is another one at the end. */
function findTurn(ask: (now: number) => boolean | undefined, from: number, to: number): number {
  const answer = ask(from)
  let [low, high] = [from, to]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (ask(middle) === answer) low = middle
    else high = middle
  }
  return high
}

/** Undefined where it cannot be decided. */
function isAllowed(image: Image, { user, action, resource, tenant }: AccessFlip, now: number): boolean | undefined {
  return image.inside((inside) => {
    const { kernel } = inside
    const meter = new Meter(ACCESS_SINCE_WORK_MAX)
    const side = new Side(inside, meter)
    const [userId, tenantId] = [findHolder(kernel, user), findSymbol(kernel, 'tenant', tenant)]
    const { type, key } = resource
    const permission = image.permission(type, action)
    let answer: boolean | undefined
    const ask = () =>
      meter.decided(() => {
        if (key === null || key === undefined) return side.allowsOnType(userId, tenantId, permission)
        const instance = findInstance(kernel, type, key)
        const asked = { user: userId, tenant: tenantId, permission, instance }
        return side.allowsOn({ ...asked, key: instance === 0 ? key : undefined })
      })
    meter.run(() => {
      answer = ownAlone(kernel, ask)
    })
    return answer
  }, now)
}
