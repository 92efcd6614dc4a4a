// What a provider asks first: what the server can do, and which resources and attributes it has (RFC 7644, 4).
import {
  type Attribute,
  RESOURCE_TYPES,
  type ResourceType,
  SCHEMAS,
  type Schema,
} from '../../../management/directory/schemas.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { SCIM_PAGE_MAX } from '../../../model/limits.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

export const serviceProviderConfig = (base: string) => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: SCIM_PAGE_MAX },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'an API key of level `directory` as bearer token',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const resourceType = (base: string, { name, path, schema, extension }: ResourceType) => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint: path,
  description: schema.about,
  schema: schema.id,
  ...(extension === undefined ? {} : { schemaExtensions: [{ schema: extension.id, required: false }] }),
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
})

const attribute = (of: Attribute): object => ({
  name: of.name,
  type: of.type,
  multiValued: of.many === true,
  description: of.about,
  required: of.required === true,
  mutability: of.mutability ?? 'readWrite',
  returned: 'default',
  ...(of.type === 'complex' || of.type === 'boolean' ? {} : { caseExact: of.caseExact === true }),
  ...(of.type === 'complex' || of.type === 'boolean' ? {} : { uniqueness: of.unique ? 'server' : 'none' }),
  ...(of.canonical === undefined ? {} : { canonicalValues: of.canonical }),
  ...(of.references === undefined ? {} : { referenceTypes: of.references }),
  ...(of.parts === undefined ? {} : { subAttributes: of.parts.map(attribute) }),
})

const schema = (base: string, { id, name, about, attributes }: Schema) => ({
  schemas: [`${CORE}:Schema`],
  id,
  name,
  description: about,
  attributes: attributes.map(attribute),
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
})

export const listResourceTypes = (base: string) => RESOURCE_TYPES.map((type) => resourceType(base, type))
export const listSchemas = (base: string) => SCHEMAS.map((one) => schema(base, one))

/** The one of that id. @throws OBJECT_NOT_FOUND */
export function findById<T extends { readonly id: string }>(kind: string, all: readonly T[], id: string): T {
  const found = all.find((one) => one.id.toLowerCase() === id.toLowerCase())
  if (found === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref: id })
  return found
}
