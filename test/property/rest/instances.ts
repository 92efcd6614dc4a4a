// The REST rules for resource instances and the tuples between them. An instance that is missing is made where a tenant
// is named.

import { atOnce } from './at-once.ts'
import { Faults, type Handler, NO_CONTENT, type Outcome, ok, settle } from './call.ts'
import type { Instance, State, Tuple } from './state.ts'

type Body = Record<string, unknown>
type Sent = string | null | undefined

export const instanceRead = (one: Instance): object => ({ ...one, relationships: null })

/** The instance `type:key`; made in `tenant` when it is missing and may be. */
export function reachInstance(
  state: State,
  ref: string,
  make: boolean,
  tenant: Sent,
  faults: Faults,
): Instance | undefined {
  const stored = state.instances.get(ref)
  if (stored) {
    const known = tenant == null || state.tenants.has(tenant)
    if (!faults.when(!known, 404)) faults.when(tenant != null && tenant !== stored.tenant, 400)
    return stored
  }
  const [resource = '', key = ''] = ref.split(':')
  const fault =
    faults.when(!make || tenant == null, 404) ||
    faults.when(!state.resources.has(resource), 404) ||
    faults.when(!state.tenants.has(tenant ?? ''), 404)
  if (fault) return undefined
  const made = { resource, key, tenant: tenant ?? '', attributes: {} }
  state.instances.set(ref, made)
  return made
}

export function createInstance(state: State, body: Body): Outcome {
  const [resource, key, tenant] = [body.resource as string, body.key as string, body.tenant as string]
  const faults = new Faults()
  faults.when(!state.resources.has(resource), 404)
  faults.when(!state.tenants.has(tenant), 404)
  faults.when(state.instances.has(`${resource}:${key}`), 409)
  return faults.else(() => {
    const made = { resource, key, tenant, attributes: settle(body, 'attributes', {}, {}) }
    state.instances.set(`${resource}:${key}`, made)
    return ok(instanceRead(made))
  })
}

/** Sets the attributes; resource and tenant may be named, if they are the same. */
export function replaceInstance(state: State, one: Instance, body: Body): Outcome {
  const [resource, tenant] = [body.resource as Sent, body.tenant as Sent]
  const faults = new Faults()
  if (!faults.when(resource != null && !state.resources.has(resource), 404)) {
    faults.when(resource != null && resource !== one.resource, 422)
  }
  if (!faults.when(tenant != null && !state.tenants.has(tenant), 404)) {
    faults.when(tenant != null && tenant !== one.tenant, 400)
  }
  return faults.else(() => {
    one.attributes = settle(body, 'attributes', {}, {})
    return ok(instanceRead(one))
  })
}

export const createTuple = (state: State, body: Omit<Tuple, 'tenant'> & { tenant?: Sent }): Outcome =>
  atOnce(state, (next, faults) => {
    const object = reachInstance(next, body.object, true, body.tenant, faults)
    const subject = reachInstance(next, body.subject, true, body.tenant, faults)
    if (object === undefined || subject === undefined) return { status: 404 }
    const relation = next.relations.get(`${object.resource}/${body.relation}`)
    faults.when(relation === undefined, 404)
    faults.when(relation !== undefined && relation.subject_resource !== subject.resource, 400)
    faults.when(subject.tenant !== object.tenant, 400)
    const name = `${body.subject}/${body.relation}/${body.object}`
    faults.when(next.tuples.has(name), 409)
    const { subject: from, relation: by, object: to } = body
    const tuple = { subject: from, relation: by, object: to, tenant: object.tenant }
    next.tuples.set(name, tuple)
    return ok(tuple)
  })

export const deleteTuple = (state: State, body: Omit<Tuple, 'tenant'>): Outcome =>
  state.tuples.delete(`${body.subject}/${body.relation}/${body.object}`) ? NO_CONTENT : { status: 404 }

export const instances: Readonly<Record<string, Handler>> = {
  'GET $F/resource_instances/:': (state, [ref = '']) => {
    const one = state.instances.get(ref)
    return one ? ok(instanceRead(one)) : { status: 404 }
  },
  'POST $F/resource_instances': (state, _, body: Body) => createInstance(state, body),
  'PATCH $F/resource_instances/:': (state, [ref = ''], body: Body) => {
    const one = state.instances.get(ref)
    if (one === undefined) return { status: 404 }
    one.attributes = settle(body, 'attributes', one.attributes, {})
    return ok(instanceRead(one))
  },
  'PUT $F/resource_instances/:': (state, [ref = ''], body: Body) => {
    const one = state.instances.get(ref)
    return one ? replaceInstance(state, one, body) : { status: 404 }
  },
  'DELETE $F/resource_instances/:': (state, [ref = '']) => {
    if (!state.instances.has(ref)) return { status: 404 }
    state.deleteInstance(ref)
    return NO_CONTENT
  },
  'POST $F/relationship_tuples': (state, _, body: Tuple) => {
    const outcome = createTuple(state, body)
    const none = { subject_details: null, relation_details: null, object_details: null, tenant_details: null }
    return outcome.answer ? { ...outcome, answer: { ...outcome.answer, ...none } } : outcome
  },
  'DELETE $F/relationship_tuples': (state, _, body: Tuple) => deleteTuple(state, body),
}
