#!/usr/bin/env bash
# A tour of the whole interface with curl. First run `npm start` at the top of the checkout, then:
#
#   bash examples/curl-tour/tour.sh                                # uses http://localhost:8080/rest
#   bash examples/curl-tour/tour.sh http://localhost:9000/rest
#
# Every step prints its request, the reply and the status. An unexpected status ends the tour with
# exit code 1. The tour restores the data that it changes; stamps still grow.
set -uo pipefail
base=${1:-http://localhost:8080/rest}
origin=${base%/rest}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
steps=0

chapter() { printf '\n\033[1m%s\033[0m\n' "$1"; }

# step <title> <expected status> <address after the base> [arguments for curl]
# Encodes blanks, double quotes and < > of the address, so that the steps stay readable.
step() {
  local title=$1 expected=$2 address=$3 status
  shift 3
  address=${address// /%20}
  address=${address//\"/%22}
  address=${address//</%3C}
  address=${address//>/%3E}
  status=$(curl -sS -g -o "$folder/reply" -D "$folder/head" -w '%{http_code}' "$@" "$base/$address") || exit 1
  local arguments=''
  [ $# -gt 0 ] && arguments=$(printf ' %q' "$@")
  printf "\\n# %s\\ncurl -g%s '%s/%s'\\n%s %s\\n" "$title" "$arguments" "$base" "$address" "$status" "$(shown)"
  if [ "$status" != "$expected" ]; then
    printf 'The status %s was expected.\n' "$expected" >&2
    exit 1
  fi
  steps=$((steps + 1))
}

# The reply, shortened; the size of a reply that is not text.
shown() {
  if grep -qi '^content-type: application/json' "$folder/head"; then
    head -c 600 "$folder/reply"
    [ "$(wc -c <"$folder/reply")" -gt 600 ] && printf ' …'
  else
    printf '(%s bytes)' "$(wc -c <"$folder/reply" | tr -d ' ')"
  fi
}

# The text value of a member of the last reply, for later steps.
member() { grep -o "\"$1\":\"[^\"]*\"" "$folder/reply" | head -n 1 | cut -d '"' -f 4; }
# The ETag of the last reply.
etag() { grep -i '^etag:' "$folder/head" | cut -d ' ' -f 2 | tr -d '\r'; }
json='content-type: application/json'

chapter 'The catalog'
step 'the catalog' 200 '$catalog'
step 'the catalog with all attributes' 200 '$catalog/$all'
step 'one dataclass' 200 '$catalog/Airport'

chapter 'Reading'
step 'one entity' 200 'Flight(132)'
step 'some of its attributes' 200 'Flight(132)/delay,distance'
step 'an entity by another attribute' 200 'Airport:city(Chicago)?$attributes=name'
step 'a page' 200 'Flight?$top=2&$skip=10'
step 'a filter over a relation, with values' 200 'Flight?$filter="delay > :1 and origin.city === :2"&$params=[300,"Chicago"]&$orderby=delay desc&$attributes=delay,origin.name'
step 'a related entity, expanded' 200 'Flight(132)?$expand=origin&$attributes=delay'
step 'the entities of a relation' 200 'Airport(ORD)/departures?$expand=departures&$top=2&$attributes=delay'
step 'a bare array' 200 'Flight?$filter="delay > 400"&$asArray=true&$attributes=delay'
step 'a table for a dashboard' 200 'Flight?$filter="delay > 400"&$format=dashboard&$attributes=date,delay'
step 'an average' 200 'Flight/delay?$compute=average&$filter="origin.state === TX"'
step 'all aggregates' 200 'Flight?$attributes=delay,distance&$compute=$all'
step 'distinct values' 200 'Airport/state?$distinct=true&$top=5'
step 'the plan, and the path with its counts' 200 'Flight?$filter="delay > 300 and origin.city === Chicago"&$queryplan=true&$querypath=true&$top=1&$attributes=delay'
step 'an entity with its ETag' 200 'Airport(ABE)?$attributes=name,city'
step 'unchanged since then' 304 'Airport(ABE)?$attributes=name,city' -H "If-None-Match: $(etag)"

chapter 'Writing'
step 'create' 200 'Airport?$method=update' -H "$json" -d '{"iata":"ZZ9","name":"Nowhere","latitude":1,"longitude":2}'
step 'update with the current stamp' 200 'Airport' -H "$json" -d '{"__KEY":"ZZ9","__STAMP":1,"city":"Atlantis"}'
step 'the same stamp is now stale' 409 'Airport' -H "$json" -d '{"__KEY":"ZZ9","__STAMP":1,"city":"Utopia"}'
step 'several updates: one is refused' 207 'Airport?$method=update' -H "$json" -d '[{"__KEY":"ZZ9","state":"XX"},{"__KEY":"none","state":"XX"}]'
step 'all or nothing: one failure cancels all' 422 'Airport?$atomic=true' -H "$json" -d '[{"__KEY":"ZZ9","state":"YY"},{"iata":"ZZ8","name":"Too far north","latitude":91,"longitude":0}]'
step 'insert, with a relation' 200 'Flight?$method=insert&$expand=destination' -H "$json" -d '{"date":"2001-05-01T10:00:00Z","delay":999,"distance":9,"origin":"ORD","destination":{"__KEY":"ZZ9"}}'
flight=$(member __KEY)
step 'preview a save' 200 'Airport?$refresh=true' -H "$json" -d '{"__KEY":"ZZ9","city":"Elsewhere"}'

chapter 'Entity sets'
step 'store a selection' 200 'Flight?$filter="delay > 400"&$orderby=delay desc&$method=entityset&$timeout=600&$top=1&$attributes=delay'
late=$(member __ENTITYSET); late=${late##*/}
step 'a page of it' 200 "Flight/\$entityset/$late?\$skip=1&\$top=1&\$attributes=delay"
step 'a filter inside it' 200 "Flight/\$entityset/$late?\$filter=\"distance > 1000\"&\$attributes=distance"
step 'another one' 200 'Flight?$filter="destination === ZZ9"&$method=entityset&$attributes=delay'
nowhere=$(member __ENTITYSET); nowhere=${nowhere##*/}
step 'the members of both' 200 "Flight/\$entityset/$late?\$logicOperator=AND&\$otherCollection=$nowhere&\$attributes=delay"
step 'the difference, stored' 200 "Flight/\$entityset/$late?\$logicOperator=EXCEPT&\$otherCollection=$nowhere&\$method=entityset&\$top=0"
step 'do they share members' 200 "Flight/\$entityset/$late?\$logicOperator=INTERSECT&\$otherCollection=$nowhere"
step 'the set of a relation' 200 'Airport(ZZ9)/arrivals?$expand=arrivals&$method=subentityset&$subOrderby=delay desc&$attributes=delay'
step 'delete a member' 200 "Flight($flight)?\$method=delete" -X POST
step 'the deleted member keeps its place' 200 "Flight/\$entityset/$nowhere?\$attributes=delay"
step 'a set without deleted members' 200 "Flight/\$entityset/$nowhere?\$clean=true&\$method=entityset"
step 'release it' 200 "Flight/\$entityset/$nowhere?\$method=release"
step 'the released set no longer exists' 404 "Flight/\$entityset/$nowhere"
step 'recreated from a filter' 200 "Flight/\$entityset/$nowhere?\$savedfilter=\"delay > 450\"&\$savedorderby=delay&\$attributes=delay"
step 'release many' 200 '$entityset/$release' -H "$json" -d "[\"$late\",\"$nowhere\"]"

chapter 'Sessions and locks'
step 'a wrong password' 401 '$directory/login' -H "$json" -d '["tower","guess"]'
step 'log in; the session is a cookie' 200 '$directory/login' -H "$json" -d '["tower","cleared to land"]' -c "$folder/tower"
step 'who am I' 200 '$directory/currentUser' -b "$folder/tower"
step 'lock' 200 'Airport(ZZ9)?$lock=true' -b "$folder/tower"
step 'another session cannot lock it' 200 'Airport(ZZ9)?$lock=true'
step 'nor change it' 423 'Airport' -H "$json" -d '{"__KEY":"ZZ9","name":"Mine"}'
step 'unlock' 200 'Airport(ZZ9)?$lock=false' -b "$folder/tower"
step 'sessions and sets' 200 '$info' -b "$folder/tower"
step 'log out' 200 '$directory/logout' -b "$folder/tower"

chapter 'Images and BLOBs'
printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==' | base64 -d >"$folder/dot.png"
step 'send an image' 200 'Airport(ZZ9)/photo?$rawPict=image/png' -H 'content-type: image/png' --data-binary "@$folder/dot.png"
step 'the entity shows its address' 200 'Airport(ZZ9)?$attributes=photo'
step 'get it back' 200 'Airport(ZZ9)/photo?$imageformat=best&$expand=photo'
step 'upload first' 200 '$upload?$binary=true' -H 'content-type: application/octet-stream' --data-binary "@$folder/dot.png"
step 'assign the upload to an attribute' 200 'Airport(ZZ9)' -H "$json" -d "{\"chart\":{\"ID\":\"$(member ID)\"}}"
step 'a BLOB' 200 'Airport(ZZ9)/chart?$binary=true&$expand=chart'
step 'clear the image' 200 'Airport(ZZ9)/photo?$method=delete' -X POST

chapter 'Functions'
step 'of the store, by GET' 200 '$catalog/punctuality?$params=[30]'
step 'of a dataclass' 200 'Flight/worst?$attributes=delay' -H "$json" -d '[2]'
step 'of a selection' 200 'Flight/totalDistance?$filter="origin.city === Chicago"' -X POST
step 'of an entity' 200 'Flight(132)/lateness'
step 'of a singleton' 200 '$singleton/Units/toKilometres?$params=[100]'

chapter 'Refusals'
step 'an invalid filter' 400 'Flight?$filter="dely > 400"'
step 'no such entity' 404 'Flight(0)'
step 'no such verb' 405 'Flight(1)' -X PATCH
step 'a deletion of everything' 400 'Flight?$method=delete' -X POST
step 'a write from another site' 403 'Airport' -H "$json" -H 'Origin: https://elsewhere.example' -d '{"__KEY":"ZZ9","name":"Taken"}'

chapter 'Cleaning up'
step 'delete the new airport' 200 'Airport?$method=delete&$atomic=true' -H "$json" -d '[{"__KEY":"ZZ9"}]'
printf '\n%s steps, all as expected. Explorer of the server: %s\n' "$steps" "$origin"
