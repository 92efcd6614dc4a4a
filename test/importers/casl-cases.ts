// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates in rules of CASL
// What the documentation of CASL shows, as rules in our own words: roles with static rules, rules stored in a database,
// claims, conditions, rules that take away, fields, aliases.
export interface CaslCase {
  readonly name: string
  /** by role, raw or packed */
  readonly roles: Readonly<Record<string, readonly unknown[]>>
}

export const CASL_CASES: readonly CaslCase[] = [
  {
    name: 'roles whose rules stand in the program',
    roles: {
      admin: [{ action: 'manage', subject: 'all' }],
      writer: [
        { action: 'read', subject: 'Post' },
        { action: ['create', 'update', 'delete'], subject: 'Post', conditions: { authorId: '${user.id}' } },
      ],
      reader: [{ action: 'read', subject: ['Post', 'Comment'] }],
    },
  },
  {
    name: 'roles whose rules are stored, with templates',
    roles: {
      member: [
        { action: 'read', subject: 'Item' },
        { action: 'update', subject: 'Item', conditions: { ownerId: '${user.id}' } },
        { action: 'update', subject: 'Item', conditions: { groupId: { $in: '${user.groups}' } } },
      ],
      manager: [{ action: ['read', 'update', 'archive'], subject: 'Item' }],
    },
  },
  {
    name: 'packed rules of a token',
    roles: {
      member: [
        ['read', 'Post,Comment'],
        ['update', 'Post', { authorId: '{{ user.id }}' }],
        ['delete', 'Post', 0, 1],
      ],
    },
  },
  {
    name: 'claims without subjects',
    roles: {
      support: [{ action: 'see-profile' }, { action: 'answer-ticket' }],
      boss: [{ action: ['see-profile', 'answer-ticket', 'refund'] }],
    },
  },
  {
    name: 'claims of which one is everything',
    roles: { support: [{ action: 'see-profile' }], boss: [{ action: 'manage' }] },
  },
  {
    name: 'everything but what a later rule takes away',
    roles: {
      user: [
        { action: 'manage', subject: ['Post', 'User'] },
        { action: 'delete', subject: 'User', inverted: true, reason: 'ask an admin' },
        { action: 'update', subject: 'Post', inverted: true, conditions: { published: true } },
      ],
    },
  },
  {
    name: 'a rule that gives back a part',
    roles: {
      user: [
        { action: 'read', subject: 'Post' },
        { action: 'read', subject: 'Post', inverted: true, conditions: { isPrivate: true } },
        { action: 'read', subject: 'Post', conditions: { isPrivate: true, ownerId: '${user.id}' } },
      ],
    },
  },
  {
    name: 'conditions with several operators',
    roles: {
      user: [
        {
          action: 'read',
          subject: 'Post',
          conditions: { status: { $in: ['review', 'published'] }, views: { $gte: 10, $lt: 1000 } },
        },
        { action: 'read', subject: 'Post', conditions: { tags: { $all: ['public', 'news'] } } },
        { action: 'edit', subject: 'Post', conditions: { 'author.teamId': { $ne: 'guests' } } },
        { action: 'share', subject: 'Post', conditions: { slug: { $regex: '^open-' }, deletedAt: null } },
      ],
    },
  },
  {
    name: 'conditions on what has no equal',
    roles: {
      user: [
        { action: 'read', subject: 'Post', conditions: { tags: { $size: 0 } } },
        { action: 'read', subject: 'Post', conditions: { title: { $regex: '[a-z]+', $options: 'i' } } },
        { action: 'read', subject: 'Post', conditions: { comments: { $elemMatch: { flagged: true } } } },
        { action: 'read', subject: 'Post', conditions: { $or: [{ open: true }, { owner: 'me' }] } },
        { action: 'edit', subject: 'Post', conditions: { title: 'by ${user.name}' } },
      ],
    },
  },
  {
    name: 'fields',
    roles: {
      writer: [
        { action: 'update', subject: 'Post', fields: ['title', 'text'], conditions: { authorId: '${user.id}' } },
        { action: 'read', subject: 'Post' },
      ],
      moderator: [
        { action: 'update', subject: 'Post' },
        { action: 'update', subject: 'Post', fields: 'authorId', inverted: true },
      ],
    },
  },
]
