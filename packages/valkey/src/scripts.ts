import { type Script, scriptOf } from './bounded-client.ts'

/*
 * The server runs each of these programs as a whole. Their key is the prefix of all keys:
 *
 *   entries   hash: id -> facts as JSON         ends    sorted set: id -> when it expires
 *   used      sorted set: id -> last use        sizes   hash: id -> bytes; and '' -> all bytes
 *   owners    sorted set: session -> the last end of its entries
 *   owned:S   set: the ids of the session S, with some that it had
 *   content:C list: pieces
 *
 * Times are epoch milliseconds, by the server's clock unless the first argument is a time. What the
 * server drops by itself lives a minute longer than its entry: `ends` decides what has expired.
 */

const LIBRARY = `
local p = KEYS[1]
local entries, ends, used, sizes, owners = p..'entries', p..'ends', p..'used', p..'sizes', p..'owners'
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function facts(id)
  local text = redis.call('HGET', entries, id)
  return text and cjson.decode(text)
end

local function drop(id)
  local entry = facts(id)
  if not entry then return end
  redis.call('UNLINK', p..'content:'..entry.content)
  redis.call('HINCRBY', sizes, '', -(redis.call('HGET', sizes, id) or 0))
  redis.call('HDEL', sizes, id)
  redis.call('HDEL', entries, id)
  redis.call('ZREM', ends, id)
  redis.call('ZREM', used, id)
  if entry.owner ~= '' then redis.call('SREM', p..'owned:'..entry.owner, id) end
end

-- A server that is short of memory may have removed some of the keys: then all entries are gone.
local function settle()
  local count = redis.call('HLEN', entries)
  if count ~= redis.call('ZCARD', ends) or count ~= redis.call('ZCARD', used)
    or (count > 0 and redis.call('HLEN', sizes) ~= count + 1) then
    redis.call('UNLINK', entries, ends, used, sizes, owners)
  end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now)) do drop(id) end
end

local function renew(id, entry)
  local milliseconds = entry.lifetime * 1000
  local longer = math.ceil(milliseconds) + 60000
  redis.call('ZADD', ends, now + milliseconds, id)
  redis.call('ZADD', used, redis.call('INCR', p..'uses'), id)
  redis.call('PEXPIRE', p..'content:'..entry.content, longer)
  if entry.owner ~= '' then
    redis.call('ZADD', owners, 'GT', now + milliseconds, entry.owner)
    redis.call('PEXPIRE', p..'owned:'..entry.owner, longer, 'NX')
    redis.call('PEXPIRE', p..'owned:'..entry.owner, longer, 'GT')
  end
end

local function isAlive(id)
  local expires = redis.call('ZSCORE', ends, id)
  return expires and tonumber(expires) > now
end
`

const script = (text: string): Script => scriptOf(`${LIBRARY}\n${text}`)

/** Arguments: time, id, facts, bytes, max, maxBytes, maxPerOwner, whether others may be dropped. */
export const CREATE = script(`
local id, text, bytes = ARGV[2], ARGV[3], tonumber(ARGV[4])
local max, maxBytes, maxPerOwner = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
settle()
local entry = cjson.decode(text)
local old = facts(id)
if old and old.owner ~= '' and old.owner ~= entry.owner then return {'taken', old.owner} end
local function isTight()
  return redis.call('HLEN', entries) >= max
    or (redis.call('HGET', sizes, '') or 0) + bytes > maxBytes
end
if old then drop(id) end
if ARGV[8] == '0' and isTight() then return {'full'} end
if entry.owner ~= '' then
  local own = {}
  for _, each in ipairs(redis.call('SMEMBERS', p..'owned:'..entry.owner)) do
    local use = redis.call('ZSCORE', used, each)
    if use then table.insert(own, {tonumber(use), each}) end
  end
  table.sort(own, function (a, b) return a[1] < b[1] end)
  for at = 1, #own - maxPerOwner + 1 do drop(own[at][2]) end
end
while isTight() do
  local oldest = redis.call('ZRANGE', used, 0, 0)[1]
  if not oldest then break end
  drop(oldest)
end
redis.call('HSET', entries, id, text)
redis.call('HSET', sizes, id, bytes)
redis.call('HINCRBY', sizes, '', bytes)
if entry.owner ~= '' then redis.call('SADD', p..'owned:'..entry.owner, id) end
renew(id, entry)
return {'created'}
`)

/** Arguments: time, owner, '1' and the kind to renew ('' for all) or '0' and '', ids. */
export const FIND = script(`
local found = {}
for at = 5, #ARGV do
  local id = ARGV[at]
  local text = isAlive(id) and redis.call('HGET', entries, id)
  if text then
    local entry = cjson.decode(text)
    if entry.owner == '' or entry.owner == ARGV[2] then
      if ARGV[3] == '1' and (ARGV[4] == '' or ARGV[4] == entry.kind) then renew(id, entry) end
      table.insert(found, id)
      table.insert(found, text)
    end
  end
end
return found
`)

/** Arguments: time, seconds, ids. */
export const SET_LIFETIME = script(`
for at = 3, #ARGV do
  local id = ARGV[at]
  local entry = isAlive(id) and facts(id)
  if entry then
    entry.lifetime = tonumber(ARGV[2])
    redis.call('HSET', entries, id, cjson.encode(entry))
    renew(id, entry)
  end
end
`)

/** Arguments: time, ids. */
export const RELEASE = script(`
local count = 0
for at = 2, #ARGV do
  if isAlive(ARGV[at]) then
    drop(ARGV[at])
    count = count + 1
  end
end
return count
`)

/** Arguments: time, session. */
export const RELEASE_OWNER = script(`
for _, id in ipairs(redis.call('SMEMBERS', p..'owned:'..ARGV[2])) do
  local entry = facts(id)
  if entry and entry.owner == ARGV[2] then drop(id) end
end
redis.call('UNLINK', p..'owned:'..ARGV[2])
redis.call('ZREM', owners, ARGV[2])
`)

/** Argument: time. */
export const OWNERS = script(`
settle()
redis.call('ZREMRANGEBYSCORE', owners, '-inf', now)
return redis.call('ZRANGE', owners, 0, -1)
`)

/** Argument: time. */
export const LIST = script(`
settle()
return {
  redis.call('ZRANGE', used, 0, -1),
  redis.call('HGETALL', entries),
  redis.call('ZRANGE', ends, 0, -1, 'WITHSCORES')
}
`)

/** Argument: time. */
export const SIZE = script(`
settle()
return {redis.call('HLEN', entries), tonumber(redis.call('HGET', sizes, '') or 0)}
`)
