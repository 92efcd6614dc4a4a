// Does a kernel differ from the definition? It follows every script by deltas and is verified, compacted, and built
// anew.
import { isDeepStrictEqual } from 'node:util'
import { Image } from '../../src/image/image.ts'
import { ownAlone } from '../../src/image/records/everybody.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import { ask, askedIn } from '../property/laws.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { makeListings, tenantPermissionsIn } from '../support/listings.ts'
import { toParts } from '../support/parts.ts'
import { saysOfShortLists } from '../support/short-lists.ts'
import { saysOfUnknownIds } from '../support/unknown-ids.ts'
import { FIRST_CHANGES } from '../support/world.ts'
import type { AskedStep, Script } from './corpus.ts'

/** What no case gets to: the host and the writer keep it from the kernel. */
const OF_MEMORY = [
  ['unknown ids', saysOfUnknownIds],
  ['short lists', saysOfShortLists],
] as const

/** The first thing that the kernel does otherwise; undefined when it does everything as defined. */
export function judge(kernel: KernelSource, scripts: readonly Script[]): string | undefined {
  for (const [what, says] of OF_MEMORY) {
    try {
      const found = says(kernel)
      if (found !== undefined) return `${what}: ${found}`
    } catch (error) {
      return `${what}: ${(error as Error).message.split('\n')[0]}`
    }
  }
  for (const script of scripts) {
    try {
      const found = follow(kernel, script)
      if (found !== undefined) return `${script.name}: ${found}`
    } catch (error) {
      return `${script.name}: ${(error as Error).message.split('\n')[0]}`
    }
  }
  return undefined
}

function follow(kernel: KernelSource, { steps, contents, isLarge = false }: Script): string | undefined {
  const image = Image.build(ENVIRONMENT, makePosition(1), FIRST_CHANGES, { kernel })
  for (const [index, step] of steps.entries()) {
    image.apply(deltaTo(image.revision + 1, step.changes))
    const found = answers(image, step)
    if (found !== undefined) return `revision ${index + 2}: ${found}`
  }
  if (isLarge) return undefined
  image.verify()
  const compacted = image.compact()
  const built = Image.build(ENVIRONMENT, image.position, contents, { kernel })
  const last = steps.at(-1)
  if (last !== undefined) {
    const found = answers(compacted, last) ?? answers(built, last)
    if (found !== undefined) return `built: ${found}`
  }
  built.verify()
  return Buffer.compare(compacted.save(), built.save()) === 0 ? undefined : 'compaction is not the canonical build'
}

function answers(image: Image, step: AskedStep): string | undefined {
  for (const [request, expected, t] of step.checks) {
    if (ask(image, request, t) !== expected) return `${JSON.stringify(request)} must be ${expected}`
  }
  for (const [request, expected, t] of step.alone) {
    const allowed = image.inside(({ kernel }) => ownAlone(kernel, () => ask(image, request, t)), undefined)
    if (allowed !== expected) return `${JSON.stringify(request)} must be ${expected} without what everybody has`
  }
  return askedIn(image, step.at, () => otherAnswers(image, step))
}

function otherAnswers(image: Image, step: AskedStep): string | undefined {
  const { undecided, reasons, roles } = step
  for (const request of undecided) if (decides(image, request)) return `${JSON.stringify(request)} is decided`
  for (const [request, expected] of reasons) {
    const { code, rebac, abac, misses, matches, notes } = image.explain(...toParts(request))
    const given = { rbac: code, rebac, abac, misses, matches, notes }
    if (!isDeepStrictEqual({ ...given, ...expected }, given)) return `other reasons: ${JSON.stringify(given)}`
  }
  for (const [user, tenants] of roles) {
    if (!isDeepStrictEqual(tenantPermissionsIn(image, user), tenants)) return `other permissions of ${user}`
  }
  return listed(image, step)
}

/** Which users and instances a listing has, in any order. */
function listed(image: Image, { users, authorized, instances }: AskedStep): string | undefined {
  const listings = makeListings(() => image)
  for (const [request, expected] of users) {
    const found = listings.users(request)
    if (!isDeepStrictEqual(found, expected)) return `other users: ${JSON.stringify(found)}`
  }
  for (const [request, expected] of authorized) {
    const found = listings.authorized(request)
    if (!isDeepStrictEqual(found, expected)) return `other ways: ${JSON.stringify(found)}`
  }
  for (const [request, expected] of instances) {
    const found = listings.instances(request)
    if (!isDeepStrictEqual(found, expected)) return `other instances: ${JSON.stringify(found)}`
  }
  return undefined
}

function decides(image: Image, request: Parameters<typeof ask>[1]): boolean {
  try {
    ask(image, request)
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'UNDECIDED') return false
    throw error
  }
}
