// Policy files with something wrong: what stands between « and » is what an error or a warning must point to.

export interface Broken {
  readonly title: string
  /** the text of `policy.yaml`; further ones are `more.yaml` */
  readonly texts: readonly string[]
}

const RESOURCES = `
resources:
  - key: document
    actions: { read: {}, write: {} }
    attributes: { secret: { type: bool }, owner: { type: string } }
    relations: { parent: folder }
    roles:
      editor: { permissions: [read, write] }
  - key: folder
    actions: { open: {} }
    roles:
      owner: { permissions: [open] }`

const broken = (title: string, ...texts: readonly string[]): Broken => ({ title, texts })
/** A file that begins with its version and the resource types above. */
const policy = (title: string, rest: string): Broken => broken(title, `zerohop: 2${RESOURCES}\n${rest}`)
/** A file that begins with its version. */
const plain = (title: string, rest: string): Broken => broken(title, `zerohop: 2\n${rest}`)

const TEXT: readonly Broken[] = [
  broken('an empty file', '«»'),
  broken('a file of comments', '«»# nothing yet\n'),
  broken('a tab', 'zerohop: 2\nroles:\n«\t»- key: admin'),
  broken('a text that is not closed', 'zerohop: 2\nroles:\n  - key: "admin«»'),
  broken('a bracket that is not closed', 'zerohop: 2\nroles: [{ key: admin }«»'),
  broken(
    'a line that is indented otherwise',
    'zerohop: 2\nroles:\n  - key: admin\n    name: Admin\n   «»description: all of it',
  ),
  broken('a colon in a text', 'zerohop: 2\nroles:\n  - key: admin\n    name: «A»dmin: all of it'),
  broken('a text that begins with @', 'zerohop: 2\nroles:\n  - key: admin\n    name: «@»admin'),
  broken(
    'an anchor and an alias',
    'zerohop: 2\nroles:\n  - key: admin\n    permissions: &all «[]»\n  - key: other\n    permissions: «*all»',
  ),
  broken('a merge key', 'zerohop: 2\nroles:\n  - key: admin\n    «<<»: { name: Admin }'),
  broken('a tag', 'zerohop: 2\nroles: «!include» roles.yaml'),
  broken('a key that appears twice', 'zerohop: 2\nroles:\n  - key: admin\n    name: Admin\n    «name»: Boss'),
  broken('two documents in one file', 'zerohop: 2\nroles: []\n---\n«»zerohop: 2\nroles: []'),
  broken('YAML 1.1', '«»%YAML 1.1\n---\nzerohop: 2'),
  broken('a key that is a list', 'zerohop: 2\n? «[a, b]»\n: 5'),
  broken('nested too deep', `zerohop: 2\nroles: ${'['.repeat(63)}«»[`),
  broken('Windows line ends', 'zerohop: 2\r\nroles:\r\n  - key: admin\r\n    «nam»: Admin\r\n'),
  broken('a byte order mark', '\ufeffzerohop: 2\n«rolls»: []'),
]

const FORM: readonly Broken[] = [
  broken('a list instead of a map', '«»- key: admin'),
  broken('a text instead of a map', '«»roles'),
  broken('no version', '«»roles: []'),
  broken('a version to come', 'zerohop: «3»\nroles: []'),
  broken('a version that is a word', 'zerohop: «two»\nroles: []'),
  plain('an unknown field', '«rolse»: []'),
  plain('an unknown field that is near nothing', '«colour»: red'),
  plain('an unknown field of an object', 'roles:\n  - key: admin\n    «permission»: []'),
  plain(
    'an id instead of a key',
    'condition_sets:\n  - key: own\n    type: resourceset\n    «resource_id»: document\n    conditions: {}',
  ),
  plain('a map instead of a list', '«roles»:\n  admin: {}'),
  plain('a list instead of a map inside', 'resources:\n  - key: document\n    «actions»: [read, write]'),
  plain('a number instead of a text', 'roles:\n  - key: «404»'),
  plain('a truth value instead of a text', 'roles:\n  - key: admin\n    name: «true»'),
  plain(
    'a text instead of a truth value',
    'set_rules:\n  - { user_set: a, permission: b, resource_set: c, is_role: «yes» }',
  ),
  plain('nothing instead of a text', 'roles:\n  - «key»:'),
  plain('no key', 'roles:\n  - «»name: Admin'),
  plain('a type that does not exist', 'user_attributes:\n  level: { type: «nubmer» }'),
  plain('a set of no type', 'condition_sets:\n  - { key: staff, type: «users», conditions: {} }'),
  plain('no conditions', 'condition_sets:\n  - «»{ key: staff, type: userset }'),
  plain('a relation that is a list', 'resources:\n  - key: document\n    relations: { «parent»: [folder] }'),
  plain('a kind that nobody manages', 'manages:\n  - kind: «rolls»'),
  plain('several at once', 'roles:\n  - key: admin\n    «nmae»: Admin\n  - key: «5»\n  - «»name: Other'),
]

const NAMES: readonly Broken[] = [
  policy(
    'a rule that names a role and a set at once',
    'roles: [{ key: night }]\ncondition_sets:\n  - { key: night, type: userset, conditions: {} }\nset_rules:\n  - { user_set: «night», permission: document:read, resource_set: document }\n  - { user_set: night, is_set: true, permission: document:write, resource_set: document }',
  ),
  plain('a key with a blank', 'roles:\n  - key: «power user»'),
  plain('a key that is reserved', 'resources:\n  - key: «__user»'),
  plain(
    'an attribute that every resource has',
    'resources:\n  - key: document\n    attributes: { «type»: { type: string } }',
  ),
  plain('a key named __proto__ is a name like any other', 'roles:\n  - key: «__proto__»'),
  broken(
    'two objects of one key',
    'zerohop: 2\nroles:\n  - key: admin\n    extends: [other]\n  - key: other\n    permissions: []\n  - key: «admin»',
  ),
  broken(
    'one object in two files',
    'zerohop: 2\nroles:\n  - key: admin\n    extends: [other]\n  - key: other',
    'zerohop: 2\nroles:\n  - key: «admin»',
  ),
  broken(
    'one attribute in two files',
    'zerohop: 2\nuser_attributes: { level: { type: number } }',
    'zerohop: 2\nuser_attributes: { «level»: { type: string } }',
  ),
  policy('an action that does not exist', 'roles:\n  - key: admin\n    permissions: [document:read, «document:wriet»]'),
  policy('a resource type that does not exist', 'roles:\n  - key: admin\n    permissions: [«docment:read»]'),
  policy(
    'three permissions of one role',
    'roles:\n  - key: admin\n    permissions: [«document:raed», document:write, «folder:opne», «write»]',
  ),
  plain('a role that does not exist', 'roles:\n  - key: admin\n    extends: [«viewr»]\n  - key: viewer'),
  plain(
    'roles that extend each other',
    'roles:\n  - key: admin\n    extends: [viewer]\n  - key: viewer\n    «extends»: [admin]',
  ),
  plain(
    'a relation to no resource type',
    'resources:\n  - key: document\n    relations: { parent: «foldr» }\n  - key: folder',
  ),
  plain(
    'a derivation over no relation',
    'resources:\n  - key: document\n    relations: { parent: folder }\n    roles:\n      editor:\n        granted_to:\n          users_with_role:\n            - { role: owner, on_resource: folder, linked_by_relation: «parnt» }\n            - { role: «ownr», on_resource: folder, linked_by_relation: parent }\n  - key: folder\n    roles: { owner: {} }',
  ),
  plain(
    'a permission of another resource type',
    'resources:\n  - key: document\n    roles: { editor: { permissions: [«folder:open»] } }\n  - key: folder\n    actions: { open: {} }',
  ),
  policy(
    'a set that does not exist',
    'set_rules:\n  - { user_set: «editors», permission: document:read, resource_set: document }\nroles:\n  - key: editor',
  ),
  plain(
    'an action group of no action',
    'resources:\n  - key: document\n    actions: { read: {} }\n    action_groups: { all: { actions: [read, «wirte»] } }',
  ),
]

const CONDITIONS: readonly Broken[] = [
  policy(
    'an attribute that the resource type does not declare',
    'condition_sets:\n  - key: secrets\n    type: resourceset\n    resource: document\n    conditions: { «resource.sercet»: { equals: true } }\nset_rules:\n  - { user_set: staff, permission: document:read, resource_set: secrets }\nroles:\n  - key: staff',
  ),
  plain(
    'an operator that does not exist',
    'user_attributes: { level: { type: number } }\ncondition_sets:\n  - key: staff\n    type: userset\n    conditions: { user.level: { «above»: 3 } }',
  ),
  plain(
    'a time of day in place of an instant',
    'condition_sets:\n  - key: early\n    type: userset\n    conditions: { not: { «context.now»: { less-than: "09:00" } } }',
  ),
  plain(
    'a date in another form among others, by the other name of the context',
    'condition_sets:\n  - key: dated\n    type: userset\n    conditions: { «environment.now»: { between: [2026-01-01, 31.12.2026] } }',
  ),
  plain(
    'a value of another type',
    'user_attributes: { level: { type: number } }\ncondition_sets:\n  - key: staff\n    type: userset\n    conditions: { «user.level»: { equals: high } }',
  ),
  plain(
    'a resource set of no resource type',
    'condition_sets:\n  - «»key: all\n    type: resourceset\n    conditions: {}',
  ),
  plain(
    'a parent of another type',
    'resources: [{ key: document }]\ncondition_sets:\n  - { key: all, type: resourceset, resource: document, conditions: {}, parent: «staff» }\n  - { key: staff, type: userset, conditions: {} }',
  ),
]

const FACTS: readonly Broken[] = [
  plain(
    'an assignment of no role',
    'roles:\n  - key: admin\nrole_assignments:\n  - { user: ana, role: «amdin», tenant: acme }',
  ),
  plain(
    'an assignment to no user',
    'users:\n  - key: anna\nroles:\n  - key: admin\nrole_assignments:\n  - { user: «ana», role: admin }',
  ),
  policy(
    'a role that the resource type does not have',
    'role_assignments:\n  - { user: ana, role: «ownr», resource_instance: folder:top, tenant: acme }',
  ),
  policy(
    'a relation that the type does not have',
    'relationship_tuples:\n  - { subject: folder:top, relation: «paernt», object: document:one }',
  ),
  plain(
    'an attribute of another type',
    'user_attributes: { level: { type: number } }\nusers:\n  - key: ana\n    attributes: { level: «high» }',
  ),
  plain('an email that is none', 'users:\n  - key: ana\n    email: «ana»'),
]

const SIDES: readonly Broken[] = [
  policy(
    'a set rule that says of a role that it is a set',
    "roles: [{ key: admin, permissions: ['folder:open'] }]\nset_rules: [{ user_set: «admin», is_set: true, permission: 'document:read', resource_set: document }]",
  ),
  policy(
    'a set rule that says of a resource type that it is a set',
    "roles: [{ key: admin, permissions: ['folder:open'] }]\nset_rules: [{ user_set: admin, permission: 'document:read', resource_set: «document», is_resource_set: true }]",
  ),
]

const WARNINGS: readonly Broken[] = [
  plain(
    'a user attribute that is not declared',
    'user_attributes: { level: { type: number } }\ncondition_sets:\n  - key: staff\n    type: userset\n    conditions: { «user.levle»: { greater-than: 3 } }\n  - { key: «part», type: userset, parent: staff, conditions: {} }\nset_rules: []',
  ),
  policy(
    'nothing uses it',
    'roles:\n  - key: «nobody»\ncondition_sets:\n  - { key: «staff», type: userset, conditions: {} }',
  ),
  policy(
    'a rule for a role that others extend',
    'roles:\n  - { key: member, permissions: [document:read] }\n  - { key: admin, extends: [member] }\nset_rules:\n  - { user_set: «member», permission: document:write, resource_set: document }',
  ),
  plain(
    'a context attribute that is not declared',
    'context_attributes: { address: { type: string } }\nresources: [{ key: document, actions: { read: {} } }]\ncondition_sets:\n  - key: inside\n    type: userset\n    conditions: { allOf: [{ context.address: { equals: home } }, { «context.adress»: { equals: home } }] }\nset_rules:\n  - { user_set: inside, permission: document:read, resource_set: document }',
  ),
  policy(
    'a `not` that is true where the attribute is missing',
    'user_attributes: { suspended: { type: bool }, plan: { type: string }, level: { type: number } }\ncondition_sets:\n  - key: active\n    type: userset\n    conditions: { not: { «user.suspended»: { equals: true } } }\n  - key: known\n    type: userset\n    conditions: { user.level: { greater-than: 0 } }\n  - key: safe\n    type: userset\n    parent: known\n    conditions:\n      allOf:\n        - { not: { user.level: { equals: 7 } } }\n        - { not: { user.key: { equals: root } } }\n        - { user.plan: { allOf: [{ not: [free] }, { contains: a }] } }\n  - key: open\n    type: resourceset\n    resource: document\n    conditions: { «resource.secret»: { not: { equals: true } } }\nset_rules:\n  - { user_set: active, permission: document:read, resource_set: open }\n  - { user_set: safe, permission: document:write, resource_set: document }',
  ),
]

export const BROKEN: readonly Broken[] = [...TEXT, ...FORM, ...NAMES, ...CONDITIONS, ...FACTS, ...SIDES, ...WARNINGS]
