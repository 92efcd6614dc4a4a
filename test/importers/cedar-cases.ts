// What the public examples of Cedar show, in our own words: groups and albums, documents that are shared, lists of tasks,
// a project with roles of repositories, forms that an accountant sees, a film that is out, tags, guest rules.
export interface CedarCase {
  readonly name: string
  readonly schema: string
  readonly policies: string
  readonly entities: readonly object[]
}

type Ref = readonly [type: string, id: string]
const toUid = ([type, id]: Ref) => ({ type, id })
const entity = (uid: Ref, parents: readonly Ref[] = [], attrs: object = {}) => ({
  uid: toUid(uid),
  attrs,
  parents: parents.map(toUid),
})
const user = (id: string) => ({ __entity: { type: 'User', id } })

export const CEDAR_CASES: readonly CedarCase[] = [
  {
    name: 'groups of users and albums of photos',
    schema: `entity Group; entity User in [Group]; entity Album; entity Photo in [Album];
action view, edit, delete appliesTo { principal: User, resource: [Photo, Album] };`,
    policies: `permit (principal == User::"ann", action in [Action::"view", Action::"edit", Action::"delete"], resource in Album::"trip");
permit (principal in Group::"friends", action == Action::"view", resource in Album::"trip");
permit (principal in Group::"staff", action == Action::"view", resource);`,
    entities: [
      ...[entity(['Group', 'friends']), entity(['Group', 'staff']), entity(['User', 'ann'])],
      ...[entity(['User', 'bob'], [['Group', 'friends']]), entity(['User', 'carl'], [['Group', 'staff']])],
      ...[entity(['Album', 'trip']), entity(['Album', 'work'])],
      ...[entity(['Photo', 'beach.jpg'], [['Album', 'trip']]), entity(['Photo', 'desk.jpg'], [['Album', 'work']])],
    ],
  },
  {
    name: 'the owner, and everyone what is public',
    schema: `entity User; entity Doc { owner: User, isPublic: Bool };
action read, write appliesTo { principal: User, resource: Doc };`,
    policies: `permit (principal, action, resource) when { resource.owner == principal };
permit (principal, action == Action::"read", resource) when { resource.isPublic };`,
    entities: [
      ...[entity(['User', 'ann']), entity(['User', 'bob'])],
      entity(['Doc', 'd1'], [], { owner: user('ann'), isPublic: false }),
      entity(['Doc', 'd2'], [], { owner: user('bob'), isPublic: true }),
    ],
  },
  {
    name: 'documents that are shared with users and closed for others',
    schema: `entity Group; entity User in [Group] { blocked: Set<User> }; entity Doc { owner: User, readers: Set<User> };
action read appliesTo { principal: User, resource: Doc, context: { mfa: Bool } };`,
    policies: `permit (principal, action == Action::"read", resource) when { principal in resource.readers };
forbid (principal, action, resource) unless { context.mfa };
forbid (principal, action, resource) when { resource.owner.blocked.contains(principal) };`,
    entities: [
      ...[entity(['User', 'ann'], [], { blocked: [] }), entity(['User', 'bob'], [], { blocked: [user('ann')] })],
      entity(['Doc', 'd1'], [], { owner: user('bob'), readers: [user('ann')] }),
      entity(['Doc', 'd2'], [], { owner: user('ann'), readers: [user('bob')] }),
    ],
  },
  {
    name: 'lists of tasks whose readers are groups in an attribute',
    schema: `entity Team in [Team]; entity User in [Team]; entity List { owner: User, readers: Team };
action see, change appliesTo { principal: User, resource: List };`,
    policies: `permit (principal, action, resource) when { resource.owner == principal };
permit (principal, action == Action::"see", resource) when { principal in resource.readers };`,
    entities: [
      ...[entity(['Team', 'all']), entity(['Team', 'it'], [['Team', 'all']])],
      ...[entity(['User', 'ann'], [['Team', 'it']]), entity(['User', 'bob'])],
      entity(['List', 'l1'], [], { owner: user('bob'), readers: { __entity: { type: 'Team', id: 'all' } } }),
    ],
  },
  {
    name: 'roles with groups of actions, and what is archived',
    schema: `entity Role in [Role]; entity User in [Role]; entity Repo { archived: Bool };
action reading, writing;
action pull in [reading] appliesTo { principal: User, resource: Repo };
action push in [writing, reading] appliesTo { principal: User, resource: Repo };`,
    policies: `permit (principal in Role::"reader", action in Action::"reading", resource) unless { resource.archived };
permit (principal in Role::"admin", action, resource);
forbid (principal, action == Action::"push", resource) when { resource.archived };`,
    entities: [
      ...[entity(['Role', 'reader']), entity(['Role', 'admin'], [['Role', 'reader']])],
      ...[entity(['User', 'ann'], [['Role', 'admin']]), entity(['User', 'bob'], [['Role', 'reader']])],
      ...[entity(['Repo', 'r1'], [], { archived: false }), entity(['Repo', 'r2'], [], { archived: true })],
    ],
  },
  {
    name: 'levels, places and the network of the request',
    schema: `entity User { level: Long, site: { country: String } }; entity Form { level: Long, country: String };
action open appliesTo { principal: User, resource: Form, context: { network: String, risk?: Long } };`,
    policies: `permit (principal, action == Action::"open", resource)
when { principal.level >= resource.level && principal.site.country == resource.country }
when { context.network like "office-*" && !(context has risk && context.risk > 5) };`,
    entities: [
      entity(['User', 'ann'], [], { level: 3, site: { country: 'fr' } }),
      entity(['User', 'bob'], [], { level: 1, site: { country: 'fr' } }),
      ...[
        entity(['Form', 'f1'], [], { level: 2, country: 'fr' }),
        entity(['Form', 'f2'], [], { level: 1, country: 'de' }),
      ],
    ],
  },
  {
    name: 'a film that is out, and its subscribers',
    schema: `entity User { plan: String }; entity Film { isFree: Bool, out: datetime };
action watch appliesTo { principal: User, resource: Film, context: { now: datetime } };`,
    policies: `permit (principal, action, resource) when { resource.isFree };
permit (principal, action, resource) when { principal.plan == "premium" && context.now >= resource.out };`,
    entities: [
      ...[entity(['User', 'ann'], [], { plan: 'premium' }), entity(['User', 'bob'], [], { plan: 'free' })],
      entity(['Film', 'm1'], [], { isFree: true, out: { __extn: { fn: 'datetime', arg: '2026-01-01' } } }),
      entity(['Film', 'm2'], [], { isFree: false, out: { __extn: { fn: 'datetime', arg: '2025-01-01' } } }),
    ],
  },
  {
    name: 'a template that is linked to each guest',
    schema: 'entity User; entity Doc; action read appliesTo { principal: User, resource: Doc };',
    policies: `permit (principal == ?principal, action == Action::"read", resource == ?resource);
permit (principal == User::"ann", action, resource);`,
    entities: [entity(['User', 'ann']), entity(['User', 'bob']), entity(['Doc', 'd1'])],
  },
  {
    name: 'users and machines, in a namespace',
    schema: `namespace Shop { entity Team; entity User in [Team]; entity Machine in [Team]; entity Order { total: Long };
action read appliesTo { principal: [User, Machine], resource: Order };
action pay appliesTo { principal: [User], resource: Order }; }`,
    policies: `permit (principal in Shop::Team::"sales", action == Shop::Action::"read", resource);
permit (principal is Shop::User, action == Shop::Action::"pay", resource) when { resource.total < 100 };
permit (principal == Shop::Machine::"m 1", action == Shop::Action::"read", resource) when { resource.total > 10 };`,
    entities: [
      entity(['Shop::Team', 'sales']),
      ...[entity(['Shop::User', 'ann'], [['Shop::Team', 'sales']]), entity(['Shop::User', 'm 1'])],
      ...[entity(['Shop::Machine', 'm 1']), entity(['Shop::Machine', 'm2'], [['Shop::Team', 'sales']])],
      ...[entity(['Shop::Order', 'o1'], [], { total: 50 }), entity(['Shop::Order', 'o2'], [], { total: 500 })],
    ],
  },
]
