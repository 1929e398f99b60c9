{{/*
What the form of ACTION_SCHEDULES leaves open, as the service asks it: each names an action that runs by schedule, none twice, and no range
runs backwards.
*/}}
{{- define "lib.checkSchedules" -}}
{{- with .facts.schedules -}}
{{- $schedules := . -}}
{{- $found := dict -}}
{{- include "lib.variable" (list $ "ACTION_SCHEDULES" $found) -}}
{{- $seen := dict -}}
{{- range regexFindAll "[^;]*:[^;]*" $found.value -1 -}}
{{- $action := splitList ":" . | first | trim -}}
{{- if not (has $action $schedules.actions) -}}
{{- include "lib.fail" (list $ (printf "config.ACTION_SCHEDULES names %s, which is no pull action; those are %s" $action (join ", " $schedules.actions))) -}}
{{- end -}}
{{- if hasKey $seen $action -}}
{{- include "lib.fail" (list $ (printf "config.ACTION_SCHEDULES gives %s two schedules; keep one of them" $action)) -}}
{{- end -}}
{{- $_ := set $seen $action true -}}
{{- include "lib.checkRanges" (list $ $action (splitList ":" . | last | trim)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* No range of a crontab runs backwards: context, action, crontab. */}}
{{- define "lib.checkRanges" -}}
{{- $root := index . 0 -}}
{{- $action := index . 1 -}}
{{- $fields := regexSplit "\\s+" (index . 2) 6 -}}
{{- range $at, $names := $root.facts.schedules.names -}}
{{- range regexFindAll "[0-9A-Za-z]+-[0-9A-Za-z]+" (index $fields $at) -1 -}}
{{- $bounds := list -}}
{{- range splitList "-" (lower .) -}}
{{- $bounds = append $bounds (get $names . | default (trimPrefix "0" .) | int) -}}
{{- end -}}
{{- if lt (last $bounds) (first $bounds) -}}
{{- include "lib.fail" (list $root (printf "config.ACTION_SCHEDULES has %s for %s, which runs backwards" . $action)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
