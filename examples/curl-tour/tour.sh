#!/usr/bin/env bash
# A tour of the whole interface with nothing but curl. First `npm start` at the top of the checkout, then:
#
#   bash examples/curl-tour/tour.sh                                # asks http://localhost:8080/rest
#   bash examples/curl-tour/tour.sh http://localhost:9000/rest
#
# Every step prints what is asked and what comes back, and says which status it expects: another one ends the tour with
# exit code 1. What the tour changes it puts back, except that stamps grow.
set -uo pipefail
base=${1:-http://localhost:8080/rest}
origin=${base%/rest}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
steps=0

chapter() { printf '\n\033[1m%s\033[0m\n' "$1"; }

# step <title> <expected status> <address behind the base> [arguments of curl]
# Blanks, double quotes and < > of the address are encoded here, so that it can be read as it is meant.
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

# The reply, shortened; its size where it is no text.
shown() {
  if grep -qi '^content-type: application/json' "$folder/head"; then
    head -c 600 "$folder/reply"
    [ "$(wc -c <"$folder/reply")" -gt 600 ] && printf ' …'
  else
    printf '(%s bytes)' "$(wc -c <"$folder/reply" | tr -d ' ')"
  fi
}

# The text value of a member of the last reply, for the steps that go on from it.
member() { grep -o "\"$1\":\"[^\"]*\"" "$folder/reply" | head -n 1 | cut -d '"' -f 4; }
# The ETag of the last reply.
etag() { grep -i '^etag:' "$folder/head" | cut -d ' ' -f 2 | tr -d '\r'; }
json='content-type: application/json'

chapter 'The catalog'
step 'what there is' 200 '$catalog'
step 'all of it, described' 200 '$catalog/$all'
step 'one dataclass' 200 '$catalog/Airport'

chapter 'Reading'
step 'one entity' 200 'Flight(132)'
step 'some attributes of it' 200 'Flight(132)/delay,distance'
step 'an entity by another attribute' 200 'Airport:city(Chicago)?$attributes=name'
step 'a page' 200 'Flight?$top=2&$skip=10'
step 'a filter over a relation, with values' 200 'Flight?$filter="delay > :1 and origin.city = :2"&$params=[300,"Chicago"]&$orderby=delay desc&$attributes=delay,origin.name'
step 'a related entity, expanded' 200 'Flight(132)?$expand=origin&$attributes=delay'
step 'the entities behind a relation' 200 'Airport(ORD)/departures?$expand=departures&$top=2&$attributes=delay'
step 'a bare array' 200 'Flight?$filter="delay > 400"&$asArray=true&$attributes=delay'
step 'a table for a dashboard' 200 'Flight?$filter="delay > 400"&$format=dashboard&$attributes=date,delay'
step 'an average' 200 'Flight/delay?$compute=average&$filter="origin.state = TX"'
step 'all aggregates' 200 'Flight?$attributes=delay,distance&$compute=$all'
step 'distinct values' 200 'Airport/state?$distinct=true&$top=5'
step 'the plan, and what running it found' 200 'Flight?$filter="delay > 300 and origin.city = Chicago"&$queryplan=true&$querypath=true&$top=1&$attributes=delay'
step 'an entity with its ETag' 200 'Airport(ABE)?$attributes=name,city'
step 'nothing new since then' 304 'Airport(ABE)?$attributes=name,city' -H "If-None-Match: $(etag)"

chapter 'Writing'
step 'create' 200 'Airport?$method=update' -H "$json" -d '{"iata":"ZZ9","name":"Nowhere","latitude":1,"longitude":2}'
step 'update, with the stamp that was read' 200 'Airport' -H "$json" -d '{"__KEY":"ZZ9","__STAMP":1,"city":"Atlantis"}'
step 'the same stamp again is stale' 409 'Airport' -H "$json" -d '{"__KEY":"ZZ9","__STAMP":1,"city":"Utopia"}'
step 'several at once: one is refused' 207 'Airport?$method=update' -H "$json" -d '[{"__KEY":"ZZ9","state":"XX"},{"__KEY":"none","state":"XX"}]'
step 'all or nothing: nothing' 422 'Airport?$atomic=true' -H "$json" -d '[{"__KEY":"ZZ9","state":"YY"},{"iata":"ZZ8","name":"Too far north","latitude":91,"longitude":0}]'
step 'insert, with a relation' 200 'Flight?$method=insert&$expand=destination' -H "$json" -d '{"date":"2001-05-01T10:00:00Z","delay":999,"distance":9,"origin":"ORD","destination":{"__KEY":"ZZ9"}}'
flight=$(member __KEY)
step 'what a save would give' 200 'Airport?$refresh=true' -H "$json" -d '{"__KEY":"ZZ9","city":"Elsewhere"}'

chapter 'Entity sets'
step 'keep a selection' 200 'Flight?$filter="delay > 400"&$orderby=delay desc&$method=entityset&$timeout=600&$top=1&$attributes=delay'
late=$(member __ENTITYSET); late=${late##*/}
step 'a page of it' 200 "Flight/\$entityset/$late?\$skip=1&\$top=1&\$attributes=delay"
step 'a filter inside it' 200 "Flight/\$entityset/$late?\$filter=\"distance > 1000\"&\$attributes=distance"
step 'another one' 200 'Flight?$filter="destination = ZZ9"&$method=entityset&$attributes=delay'
nowhere=$(member __ENTITYSET); nowhere=${nowhere##*/}
step 'what both hold' 200 "Flight/\$entityset/$late?\$logicOperator=AND&\$otherCollection=$nowhere&\$attributes=delay"
step 'one without the other, kept' 200 "Flight/\$entityset/$late?\$logicOperator=EXCEPT&\$otherCollection=$nowhere&\$method=entityset&\$top=0"
step 'do they meet' 200 "Flight/\$entityset/$late?\$logicOperator=INTERSECT&\$otherCollection=$nowhere"
step 'the set of a relation' 200 'Airport(ZZ9)/arrivals?$expand=arrivals&$method=subentityset&$subOrderby=delay desc&$attributes=delay'
step 'delete a member' 200 "Flight($flight)?\$method=delete" -X POST
step 'its place stays' 200 "Flight/\$entityset/$nowhere?\$attributes=delay"
step 'a set without such places' 200 "Flight/\$entityset/$nowhere?\$clean=true&\$method=entityset"
step 'release it' 200 "Flight/\$entityset/$nowhere?\$method=release"
step 'it is gone' 404 "Flight/\$entityset/$nowhere"
step 'made again from a filter' 200 "Flight/\$entityset/$nowhere?\$savedfilter=\"delay > 450\"&\$savedorderby=delay&\$attributes=delay"
step 'release many' 200 '$entityset/$release' -H "$json" -d "[\"$late\",\"$nowhere\"]"

chapter 'Sessions and locks'
step 'a wrong password' 401 '$directory/login' -H "$json" -d '["tower","guess"]'
step 'log in; the session is a cookie' 200 '$directory/login' -H "$json" -d '["tower","cleared to land"]' -c "$folder/tower"
step 'who am I' 200 '$directory/currentUser' -b "$folder/tower"
step 'lock' 200 'Airport(ZZ9)?$lock=true' -b "$folder/tower"
step 'somebody else cannot lock it' 200 'Airport(ZZ9)?$lock=true'
step 'nor change it' 423 'Airport' -H "$json" -d '{"__KEY":"ZZ9","name":"Mine"}'
step 'unlock' 200 'Airport(ZZ9)?$lock=false' -b "$folder/tower"
step 'what goes on' 200 '$info' -b "$folder/tower"
step 'log out' 200 '$directory/logout' -b "$folder/tower"

chapter 'Images and BLOBs'
printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==' | base64 -d >"$folder/dot.png"
step 'send an image' 200 'Airport(ZZ9)/photo?$rawPict=image/png' -H 'content-type: image/png' --data-binary "@$folder/dot.png"
step 'the entity shows its address' 200 'Airport(ZZ9)?$attributes=photo'
step 'get it back' 200 'Airport(ZZ9)/photo?$imageformat=best&$expand=photo'
step 'upload first' 200 '$upload?$binary=true' -H 'content-type: application/octet-stream' --data-binary "@$folder/dot.png"
step 'name it afterwards' 200 'Airport(ZZ9)' -H "$json" -d "{\"chart\":{\"ID\":\"$(member ID)\"}}"
step 'a BLOB' 200 'Airport(ZZ9)/chart?$binary=true&$expand=chart'
step 'clear the image' 200 'Airport(ZZ9)/photo?$method=delete' -X POST

chapter 'Functions'
step 'of the store, by GET' 200 '$catalog/punctuality?$params=[30]'
step 'of a dataclass' 200 'Flight/worst?$attributes=delay' -H "$json" -d '[2]'
step 'of a selection' 200 'Flight/totalDistance?$filter="origin.city = Chicago"' -X POST
step 'of an entity' 200 'Flight(132)/lateness'
step 'of a singleton' 200 '$singleton/Units/toKilometres?$params=[100]'

chapter 'Refusals'
step 'a filter that cannot be' 400 'Flight?$filter="dely > 400"'
step 'no such entity' 404 'Flight(0)'
step 'no such verb' 405 'Flight(1)' -X PATCH
step 'a deletion of everything' 400 'Flight?$method=delete' -X POST
step 'a page of another site' 403 'Airport' -H "$json" -H 'Origin: https://elsewhere.example' -d '{"__KEY":"ZZ9","name":"Taken"}'

chapter 'Putting things back'
step 'delete what was made' 200 'Airport?$method=delete&$atomic=true' -H "$json" -d '[{"__KEY":"ZZ9"}]'
printf '\n%s steps, all as expected. Pages of the server: %s\n' "$steps" "$origin"
