// @cerbos/embedded-server, offline: the rule table that its hub would build is encoded here (protobuf, field numbers of
// the published schema cerbos.runtime.v1.RuleTable), one row per permission of a role.
import { readFileSync } from 'node:fs'
import { create } from '@bufbuild/protobuf'
import { CheckResourcesRequestSchema } from '@cerbos/api/cerbos/request/v1/request_pb'
import { Server } from '@cerbos/embedded-server'
import { makeGrantLookup } from './grants.mjs'

const ALLOW = 1
const KIND_RESOURCE = 4
const OVERRIDE_PARENT = 1

/** @param {import('../workloads.mjs').World} world */
export async function load(world) {
  const wasm = readFileSync(new URL(import.meta.resolve('@cerbos/embedded-server/server.wasm')))
  const server = await Server.from((imports) => WebAssembly.instantiate(wasm, imports), undefined)
  server.loadRuleTable(ruleTable(world))
  const findRoles = makeGrantLookup(world, (roles) => roles)

  function decide(user, action, resource, tenant) {
    const roles = findRoles(user, tenant)
    if (roles === undefined) return false
    const request = create(CheckResourcesRequestSchema, {
      requestId: '1',
      principal: { id: user, roles, policyVersion: 'default' },
      resources: [{ actions: [action], resource: { kind: resource, id: '1', policyVersion: 'default' } }],
    })
    return server.checkResources(request, undefined).response.results[0].actions[action] === ALLOW
  }
  return { decide }
}

function ruleTable(world) {
  const rows = world.roles.flatMap((role) =>
    role.permissions.map(({ resource, action }) => {
      const kind = resource.replaceAll(/[^\w.]/g, '_')
      const name = `cerbos.resource.${kind}.vdefault`
      return message(1, [
        text(1, name),
        text(2, kind),
        text(3, role.key),
        text(4, action),
        number(7, ALLOW),
        number(9, OVERRIDE_PARENT),
        text(10, 'default'),
        text(13, `${role.key}-${action}`),
        message(16, []),
        text(18, `${name}#${role.key}-${action}`),
        number(19, KIND_RESOURCE),
      ])
    }),
  )
  return Buffer.concat(rows)
}

// The three wire forms of protobuf that a rule row needs.
function varint(value) {
  const bytes = []
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128)
  return Buffer.from([...bytes, value])
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)])
const message = (field, parts) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body])
}
const text = (field, value) => message(field, [Buffer.from(value)])
