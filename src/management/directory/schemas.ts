// The SCIM schemas of users and groups (RFC 7643) as data: what a directory may send, how it is read, compared and
// answered. `/Schemas` is made of it (src/http/management/scim), so a provider sees exactly what is kept.

const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

export interface Attribute {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime'
  readonly about: string
  readonly many?: true
  readonly required?: true
  /** default: letter case does not count in comparisons */
  readonly caseExact?: true
  readonly unique?: true
  /** `readOnly`: what is sent of it is passed over */
  readonly mutability?: 'readOnly' | 'immutable'
  readonly canonical?: readonly string[]
  readonly references?: readonly string[]
  readonly parts?: readonly Attribute[]
  /** characters of a text; default SCIM_TEXT_LENGTH_MAX */
  readonly isName?: true
}

export interface Schema {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly attributes: readonly Attribute[]
}

const text = (name: string, about: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  about,
  ...more,
})

const values = (name: string, about: string, types: readonly string[]): Attribute => ({
  name,
  type: 'complex',
  about,
  many: true,
  parts: [
    text('value', 'the value'),
    text('display', 'the value for people'),
    text('type', 'what it is for', { canonical: types }),
    { name: 'primary', type: 'boolean', about: 'true of one value at most' },
  ],
})

const addressParts = ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'] as const

const USER: Schema = {
  id: USER_SCHEMA,
  name: 'User',
  about: 'a user account',
  attributes: [
    text('userName', 'name by which the directory finds the user', { required: true, unique: true, isName: true }),
    {
      name: 'name',
      type: 'complex',
      about: 'parts of the name of the user',
      parts: [
        text('formatted', 'the whole name'),
        text('familyName', 'last name; becomes `last_name`'),
        text('givenName', 'first name; becomes `first_name`'),
        text('middleName', 'middle names'),
        text('honorificPrefix', 'title before the name'),
        text('honorificSuffix', 'title after the name'),
      ],
    },
    text('displayName', 'name for people'),
    text('nickName', 'casual name'),
    { name: 'profileUrl', type: 'reference', about: 'address of a profile', references: ['external'], caseExact: true },
    text('title', 'position'),
    text('userType', 'relation to the organization'),
    text('preferredLanguage', 'language'),
    text('locale', 'region for formats'),
    text('timezone', 'time zone'),
    { name: 'active', type: 'boolean', about: 'false suspends the user' },
    values('emails', 'email addresses; the primary one becomes `email`', ['work', 'home', 'other']),
    values('phoneNumbers', 'phone numbers', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    {
      name: 'addresses',
      type: 'complex',
      about: 'postal addresses',
      many: true,
      parts: [
        ...addressParts.map((name) => text(name, 'part of the address')),
        text('type', 'what it is for', { canonical: ['work', 'home', 'other'] }),
        { name: 'primary', type: 'boolean', about: 'true of one value at most' },
      ],
    },
    {
      name: 'groups',
      type: 'complex',
      about: 'groups of the user, changed by the groups alone',
      many: true,
      mutability: 'readOnly',
      parts: [
        text('value', 'id of the group', { mutability: 'readOnly', caseExact: true }),
        {
          name: '$ref',
          type: 'reference',
          about: 'address of the group',
          references: ['Group'],
          mutability: 'readOnly',
          caseExact: true,
        },
        text('display', 'name of the group', { mutability: 'readOnly' }),
        text('type', 'how the user belongs to it', { mutability: 'readOnly', canonical: ['direct'] }),
      ],
    },
  ],
}

const ENTERPRISE: Schema = {
  id: ENTERPRISE_SCHEMA,
  name: 'EnterpriseUser',
  about: 'what an organization adds to a user',
  attributes: [
    text('employeeNumber', 'number of the employee'),
    text('costCenter', 'cost center'),
    text('organization', 'organization'),
    text('division', 'division'),
    text('department', 'department'),
    {
      name: 'manager',
      type: 'complex',
      about: 'the manager, as the directory names them',
      parts: [text('value', 'id of the manager', { caseExact: true }), text('displayName', 'name of the manager')],
    },
  ],
}

const GROUP: Schema = {
  id: GROUP_SCHEMA,
  name: 'Group',
  about: 'a group of users',
  attributes: [
    text('displayName', 'name of the group', { required: true, isName: true }),
    {
      name: 'members',
      type: 'complex',
      about: 'the users in the group',
      many: true,
      parts: [
        text('value', 'id of the user', { mutability: 'immutable', caseExact: true }),
        {
          name: '$ref',
          type: 'reference',
          about: 'address of the user',
          references: ['User'],
          mutability: 'immutable',
          caseExact: true,
        },
        text('type', 'users alone are members', { mutability: 'immutable', canonical: ['User'] }),
      ],
    },
  ],
}

/** What all resources have, and no schema lists. */
const COMMON: readonly Attribute[] = [
  text('id', 'id', { mutability: 'readOnly', caseExact: true }),
  text('externalId', 'id in the directory', { caseExact: true, isName: true }),
  {
    name: 'meta',
    type: 'complex',
    about: 'about the resource',
    mutability: 'readOnly',
    parts: [
      text('resourceType', 'type', { caseExact: true }),
      { name: 'created', type: 'dateTime', about: 'when it was made' },
      { name: 'lastModified', type: 'dateTime', about: 'when it was changed last' },
      { name: 'location', type: 'reference', about: 'address', caseExact: true },
      text('version', 'etag', { caseExact: true }),
    ],
  },
]

/** One kind of resource: its schema, and the one that extends it. */
export interface ResourceType {
  readonly name: 'User' | 'Group'
  readonly path: '/Users' | '/Groups'
  readonly schema: Schema
  readonly extension?: Schema
}

export const USERS: ResourceType = { name: 'User', path: '/Users', schema: USER, extension: ENTERPRISE }
export const GROUPS: ResourceType = { name: 'Group', path: '/Groups', schema: GROUP }
export const RESOURCE_TYPES: readonly ResourceType[] = [USERS, GROUPS]
export const SCHEMAS: readonly Schema[] = [USER, ENTERPRISE, GROUP]

/** Where an attribute stands in a resource. */
export interface Place {
  readonly attribute: Attribute
  /** the schema whose member of a resource holds it; absent: the resource itself */
  readonly extension?: string
}

const findIn = (attributes: readonly Attribute[], name: string): Attribute | undefined => {
  const lower = name.toLowerCase()
  return attributes.find((one) => one.name.toLowerCase() === lower)
}

/** The part of a complex attribute of that name, in any letter case. */
export const findPart = ({ parts = [] }: Attribute, name: string): Attribute | undefined => findIn(parts, name)

/**
 * The attribute of that name, in any letter case: with the id of its schema and a colon before it, or without for one of
 * the schema of the type.
 */
export function findAttribute({ schema, extension }: ResourceType, name: string): Place | undefined {
  const lower = name.toLowerCase()
  if (extension !== undefined && lower.startsWith(`${extension.id.toLowerCase()}:`)) {
    const attribute = findIn(extension.attributes, name.slice(extension.id.length + 1))
    return attribute && { attribute, extension: extension.id }
  }
  const short = lower.startsWith(`${schema.id.toLowerCase()}:`) ? name.slice(schema.id.length + 1) : name
  const attribute = findIn(COMMON, short) ?? findIn(schema.attributes, short)
  return attribute && { attribute }
}

/** Whether a name is the id of the schema that extends the type. */
export const isExtension = ({ extension }: ResourceType, name: string): boolean =>
  extension?.id.toLowerCase() === name.toLowerCase()
