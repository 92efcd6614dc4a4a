// Sizes and offsets of abi.ts, held against each other: a layout that does not fit is an error of the compiler. Nothing
// of this is in the kernel. A record ends behind its last field, a list of fixed length where the next field begins, an
// area where the next area begins.
import {
  BUCKET_BYTES,
  BUCKET_SLOTS,
  Bucket,
  CELL_BYTES,
  Cell,
  EDGE_BYTES,
  Edge,
  ENCODED,
  FANOUT,
  FRAME_BYTES,
  FRAMES,
  Frame,
  FreeBlock,
  GOAL_BYTES,
  GOAL_SLOTS,
  Goal,
  GRANT_BYTES,
  GROUP_BYTES,
  Grant,
  Group,
  HEADER,
  HEADER_BYTES,
  HEAP,
  Header,
  INDEX_BYTES,
  Index,
  Instance,
  LEAF_RECORDS,
  MEMBER_BYTES,
  Member,
  Names,
  NODE_BYTES,
  NODE_ENTRY_BYTES,
  Node,
  NodeEntry,
  OrderRoot,
  PAGE_BYTES,
  PAGE_SHIFT,
  Principal,
  QUERY,
  QUERY_BYTES,
  Query,
  RELATED,
  Related,
  ROW_BYTES,
  ROW_PAGES,
  Role,
  Root,
  Row,
  RULE_BYTES,
  Rule,
  SCRATCH,
  SEGMENT_BUCKETS,
  SEGMENT_BYTES,
  SENT,
  SET_RULE_BYTES,
  SetRule,
  SIDE_BYTES,
  Side,
  STEP_BYTES,
  Step,
  SUSPENSION_BYTES,
  Suspension,
  TABLE_BYTES,
  TABLES,
  TALLY,
  TALLY_BYTES,
  Tally,
  TEST_BYTES,
  Tests,
  TIMED_ROLE_BYTES,
  TIMED_TUPLE_BYTES,
  TimedRole,
  TimedTuple,
  TUPLE_BYTES,
  Tuple,
  VISIT_BYTES,
  Visit,
  WORK,
} from '../abi'
import {
  CANDIDATES_MAX,
  ENCODED_BYTES,
  FRAMES_MAX,
  GOALS_MAX,
  INDEX_TESTS_MAX,
  PATHS_MAX,
  PERMISSIONS_MAX,
  ROLE_SIDES_MAX,
  SCRATCH_BYTES,
  SENT_RELATIONS_MAX,
  SENT_SUBJECTS_MAX,
  Table,
} from '../limits'

/** Where the messages of the debug build begin: `memoryBase` in asconfig.json. */
const STATIC = 0x12000
const ORDERS = 3

// Records.
if (EDGE_BYTES !== Edge.PreviousChild + 4) ERROR('EDGE_BYTES')
if (GRANT_BYTES !== Grant.PreviousOfScope + 4) ERROR('GRANT_BYTES')
if (TUPLE_BYTES !== Tuple.PreviousOfSubject + 4) ERROR('TUPLE_BYTES')
if (TimedTuple.From !== TUPLE_BYTES || TIMED_TUPLE_BYTES !== TimedTuple.Until + 8) ERROR('TIMED_TUPLE_BYTES')
if (TIMED_ROLE_BYTES !== TimedRole.Until + 8) ERROR('TIMED_ROLE_BYTES')
if (RULE_BYTES !== Rule.PreviousOfSource + 4) ERROR('RULE_BYTES')
if (SET_RULE_BYTES !== SetRule.PreviousOfSide + 4) ERROR('SET_RULE_BYTES')
if (SIDE_BYTES !== Side.PreviousOfSet + 4) ERROR('SIDE_BYTES')
if (INDEX_BYTES !== Index.Paths + INDEX_TESTS_MAX * 4) ERROR('INDEX_BYTES')
if (GROUP_BYTES !== Group.Previous + 4) ERROR('GROUP_BYTES')
if (MEMBER_BYTES !== Member.PreviousOfTenant + 4) ERROR('MEMBER_BYTES')
if (SUSPENSION_BYTES !== Suspension.Until + 8) ERROR('SUSPENSION_BYTES')
if (GOAL_BYTES !== Goal.From + 4) ERROR('GOAL_BYTES')
if (CELL_BYTES !== Cell.Value + 8) ERROR('CELL_BYTES')
if (STEP_BYTES !== Step.WhenFalse + 2) ERROR('STEP_BYTES')
if (TEST_BYTES !== Tests.Hash + 4 - Tests.Path) ERROR('TEST_BYTES')
if (FRAME_BYTES < Frame.Type + 4) ERROR('FRAME_BYTES')
if (Query.OwnAlone !== Query.Now + 8 || (QUERY + Query.Now) % 8 !== 0) ERROR('Query.Now')
if (QUERY_BYTES !== Query.SideRoles + ROLE_SIDES_MAX * 4) ERROR('QUERY_BYTES')
if (TALLY_BYTES < Tally.Sides + 4 || Tally.Previous < Tally.Uses + 8 || Tally.Uses < Tally.References + 8)
  ERROR('TALLY_BYTES')
if (VISIT_BYTES !== Visit.Slot + 4) ERROR('VISIT_BYTES')
// The names of a path are words behind their count; the smallest block has room for the link of a free one.
if (Names.Texts !== Names.Count + 4 || FreeBlock.Next + 4 > 4) ERROR('Names')
// An instance begins as a party, without a list of members.
if (Instance.Tenant !== Principal.Attributes + 4) ERROR('Instance')

// Rows of permissions: one inside each role.
if (Row.FirstPage !== Row.Pages + ROW_PAGES * 4 || ROW_BYTES !== Row.FirstPage + PAGE_BYTES) ERROR('ROW_BYTES')
if (Role.Type !== Role.Row + ROW_BYTES) ERROR('Role.Row')
if (PAGE_BYTES * 8 !== 1 << PAGE_SHIFT || ROW_PAGES << PAGE_SHIFT <= PERMISSIONS_MAX) ERROR('PERMISSIONS_MAX')

// Tables and orders.
if (Bucket.Count !== Bucket.Hashes + BUCKET_SLOTS * 4 || Bucket.Records !== Bucket.Count + 4) ERROR('Bucket.Count')
if (Bucket.Overflow !== Bucket.Records + BUCKET_SLOTS * 4 || BUCKET_BYTES !== Bucket.Overflow + 4) ERROR('BUCKET_BYTES')
if (SEGMENT_BYTES !== SEGMENT_BUCKETS * BUCKET_BYTES) ERROR('SEGMENT_BYTES')
if (TABLE_BYTES !== Root.Capacity + 4 || TABLES !== Table.Suspensions + 1) ERROR('TABLES')
if (NODE_BYTES !== Node.Entries + LEAF_RECORDS * 4 || NODE_BYTES !== Node.Entries + FANOUT * NODE_ENTRY_BYTES)
  ERROR('NODE_BYTES')
// Leaves and entries of inner nodes both begin with a record.
if (NodeEntry.First !== 0 || NODE_ENTRY_BYTES !== NodeEntry.Node + 4) ERROR('NODE_ENTRY_BYTES')

// The header: free lists of each power of two from 512 bytes up, and of each multiple of four up to 512.
if (Header.TimedRoles < Header.Orders + ORDERS * OrderRoot.Bytes) ERROR('Header.Orders')
if (Header.Tables < Header.Everybody + 4) ERROR('Header.Everybody')
if (Header.FreeLarge < Header.Tables + TABLES * TABLE_BYTES) ERROR('Header.Tables')
if (Header.FreeSmall < Header.FreeLarge + (32 - 9) * 4 || HEADER_BYTES < Header.FreeSmall + 512)
  ERROR('Header.FreeSmall')

// Areas.
if (SCRATCH < HEADER + HEADER_BYTES || STATIC < SCRATCH + SCRATCH_BYTES || WORK <= STATIC) ERROR('SCRATCH')
if (SENT < WORK + GOALS_MAX * GOAL_BYTES + GOAL_SLOTS * 2 || SENT < WORK + CANDIDATES_MAX * 8) ERROR('WORK')
if (ENCODED < SENT + (PATHS_MAX + 1) * 4) ERROR('SENT')
if (FRAMES < ENCODED + ENCODED_BYTES || RELATED < FRAMES + FRAMES_MAX * FRAME_BYTES) ERROR('FRAMES')
if (QUERY < RELATED + SENT_RELATIONS_MAX * (Related.Subjects + SENT_SUBJECTS_MAX * 4)) ERROR('RELATED')
if (TALLY < QUERY + QUERY_BYTES || HEAP < TALLY + TALLY_BYTES) ERROR('QUERY')
// The debug build reads the link back behind the link forward (checked-records.ts).
if (Edge.PreviousChild !== Edge.NextChild + 4 || Rule.PreviousOfSource !== Rule.NextOfSource + 4) ERROR('Edge')
if (Grant.PreviousOfUser !== Grant.NextOfUser + 4 || Grant.PreviousOfScope !== Grant.NextOfScope + 4) ERROR('Grant')
if (Tuple.PreviousOfObject !== Tuple.NextOfObject + 4) ERROR('Tuple.PreviousOfObject')
if (Tuple.PreviousOfSubject !== Tuple.NextOfSubject + 4) ERROR('Tuple.PreviousOfSubject')
if (Member.PreviousOfUser !== Member.NextOfUser + 4 || Member.PreviousOfTenant !== Member.NextOfTenant + 4)
  ERROR('Member')
if (SetRule.Previous !== SetRule.Next + 4 || SetRule.PreviousOfSide !== SetRule.NextOfSide + 4) ERROR('SetRule')
if (Side.PreviousOfGroup !== Side.NextOfGroup + 4 || Side.PreviousOfSet !== Side.NextOfSet + 4) ERROR('Side')
if (Index.Previous !== Index.Next + 4 || Group.Previous !== Group.Next + 4) ERROR('Index')
