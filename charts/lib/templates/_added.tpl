{{/*
What people add to a pod must not be there already, or the API server refuses it or one of the two is lost: context, the pod's spec with what
they added, names of volumes that it gets later. Of labels the same holds for every object.
*/}}
{{- define "lib.checkAdded" -}}
{{- $root := index . 0 -}}
{{- $spec := index . 1 -}}
{{- $container := first $spec.containers -}}
{{- $volumes := $spec.volumes -}}
{{- range index . 2 -}}{{- $volumes = append $volumes (dict "name" .) -}}{{- end -}}
{{- include "lib.refuseLabels" $root -}}
{{- include "lib.refuseTwice" (list $root "extraEnv" "name" ($container.env | default list) "leave it out") -}}
{{- include "lib.refuseTwice" (list $root "extraVolumes" "name" $volumes "take another name") -}}
{{- include "lib.refuseTwice" (list $root "extraVolumeMounts" "mountPath" $container.volumeMounts "take another path") -}}
{{- end -}}

{{/* Context, the value with what people added, the member that makes one what it is, all that the pod has, what to do instead. */}}
{{- define "lib.refuseTwice" -}}
{{- $root := index . 0 -}}
{{- $value := index . 1 -}}
{{- $member := index . 2 -}}
{{- $added := include "lib.membersOf" (list (get $root.Values $value) $member) | fromJsonArray -}}
{{- $all := include "lib.membersOf" (list (index . 3) $member) | fromJsonArray -}}
{{- $instead := index . 4 -}}
{{- $seen := dict -}}
{{- range $added -}}
{{- if hasKey $seen . -}}
{{- include "lib.fail" (list $root (printf "%s gives %s twice; keep one of them" $value .)) -}}
{{- end -}}
{{- $_ := set $seen . true -}}
{{- end -}}
{{- $there := dict -}}
{{- range $all -}}
{{- if and (hasKey $seen .) (hasKey $there .) -}}
{{- include "lib.fail" (list $root (printf "%s gives %s, which the pod has without it; %s" $value . $instead)) -}}
{{- end -}}
{{- $_ := set $there . true -}}
{{- end -}}
{{- end -}}

{{/* One member of each of a list as JSON; paths in their shortest form. */}}
{{- define "lib.membersOf" -}}
{{- $member := index . 1 -}}
{{- $all := list -}}
{{- range index . 0 -}}
{{- $text := get . $member | default "" | toString -}}
{{- $all = append $all (ternary (clean $text) $text (eq $member "mountPath")) -}}
{{- end -}}
{{- $all | toJson -}}
{{- end -}}

{{/* Labels that people add never take the place of those that the charts give: by these pods are found and policies hold. */}}
{{- define "lib.refuseLabels" -}}
{{- $own := include "lib.labels" . | fromYaml -}}
{{- $found := dict -}}
{{- range $path := list "podLabels" "serviceMonitor.labels" "prometheusRule.labels" "dashboards.labels" -}}
{{- include "lib.at" (list $.Values $path $found) -}}
{{- range $label, $_ := $found.value | default dict -}}
{{- if or (hasKey $own $label) (hasPrefix "ranger-relay/" $label) -}}
{{- include "lib.fail" (list $ (printf "%s gives %s, which the chart gives itself; leave it out" $path $label)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
