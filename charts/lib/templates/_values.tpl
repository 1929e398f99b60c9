{{/*
Adds what the first map does not have from the second, key by key; null counts as not having. The first is changed.
A reference to a key of a Secret is one value: half of one and half of another would name what is not there.
*/}}
{{- define "lib.fill" -}}
{{- $into := index . 0 -}}
{{- range $key, $value := index . 1 -}}
{{- $has := get $into $key -}}
{{- if and (kindIs "map" $has) (kindIs "map" $value) -}}
{{- if not (and (hasKey $has "name") (or (hasKey $has "key") (hasKey $value "certKey") (hasKey $value "keyKey"))) -}}
{{- include "lib.fill" (list $has $value) -}}
{{- end -}}
{{- else if or (not (hasKey $into $key)) (kindIs "invalid" $has) -}}
{{- $_ := set $into $key (ternary (deepCopy $value) $value (or (kindIs "map" $value) (kindIs "slice" $value))) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Gives values their defaults where nothing is said, as behind a key whose lines are all comments. What null takes away stays away, unless all
around it is missing.
*/}}
{{- define "lib.fillDefaults" -}}
{{- $found := dict -}}
{{- $gone := list -}}
{{- range .facts.mayGo -}}
{{- $key := splitList "." . | last -}}
{{- include "lib.at" (list $.Values (trimSuffix (printf ".%s" $key) .) $found) -}}
{{- if kindIs "map" $found.value -}}
{{- if or (not (hasKey $found.value $key)) (kindIs "invalid" (get $found.value $key)) -}}
{{- $gone = append $gone (list $found.value $key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "lib.fill" (list .Values .facts.defaults) -}}
{{- range $gone -}}
{{- $_ := unset (index . 0) (index . 1) -}}
{{- end -}}
{{- end -}}

{{/*
Makes a chart's values whole: its own count before the global ones, and those before the defaults in its facts.
Afterwards the context has the facts of the chart as .facts. Doing it twice changes nothing.
*/}}
{{- define "lib.prepare" -}}
{{- $facts := .Files.Get "facts.json" | fromJson -}}
{{- $_ := set . "facts" $facts -}}
{{- $shared := pick (.Values.global | default dict) "none" -}}
{{- range $facts.globals -}}
{{- if hasKey ($.Values.global | default dict) . -}}
{{- $_ := set $shared . (get $.Values.global .) -}}
{{- end -}}
{{- end -}}
{{- if hasKey $shared "config" -}}
{{- include "lib.keepKnown" (list . $shared) -}}
{{- end -}}
{{- include "lib.fill" (list .Values $shared) -}}
{{- include "lib.fillDefaults" . -}}
{{- include "lib.tidyBrokers" . -}}
{{- end -}}

{{/*
Leaves of the global variables those of this chart: context, global values. The others are of charts beside it; without any they are mistakes.
*/}}
{{- define "lib.keepKnown" -}}
{{- $root := index . 0 -}}
{{- $known := dict -}}
{{- range $name, $value := (index . 1).config -}}
{{- if eq (dig $name "kind" "" $root.facts.variables) "value" -}}
{{- $_ := set $known $name $value -}}
{{- else if $root.Chart.IsRoot -}}
{{- include "lib.fail" (list $root (printf "global.config.%s is not a variable of this chart" $name)) -}}
{{- end -}}
{{- end -}}
{{- $_ := set (index . 1) "config" $known -}}
{{- end -}}

{{/* Brokers without blanks and empty items, which the service passes over and others that read them may not. */}}
{{- define "lib.tidyBrokers" -}}
{{- $kafka := .Values.kafka | default dict -}}
{{- if kindIs "string" $kafka.brokers -}}
{{- $_ := set $kafka "brokers" (regexSplit "\\s*,\\s*" (trim $kafka.brokers) -1 | compact | join ",") -}}
{{- end -}}
{{- end -}}

{{/* Puts what is at a path of a map into the `value` of a third map; nothing there is an empty text. */}}
{{- define "lib.at" -}}
{{- $at := index . 0 -}}
{{- range splitList "." (index . 1) -}}
{{- if kindIs "map" $at -}}
{{- $at = get $at . -}}
{{- else -}}
{{- $at = "" -}}
{{- end -}}
{{- end -}}
{{- $_ := set (index . 2) "value" (ternary "" $at (kindIs "invalid" $at)) -}}
{{- end -}}

{{/* A scalar as text: whole numbers never in the form 1e+07. */}}
{{- define "lib.text" -}}
{{- if and (kindIs "float64" .) (eq (int64 . | float64) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* Stops with a sentence that says of which chart it is. */}}
{{- define "lib.fail" -}}
{{- fail (printf "%s: %s" (index . 0).Chart.Name (index . 1)) -}}
{{- end -}}
