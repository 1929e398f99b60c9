{{/* What cannot work, each with one sentence. */}}
{{- define "relay.check" -}}
{{- include "lib.checkResources" (list . "tasks.resources" .Values.tasks.resources) -}}
{{- if .Values.embedded.enabled -}}
{{- include "relay.checkEmbedded" . -}}
{{- else -}}
{{- include "relay.checkTopics" . -}}
{{- include "relay.checkShared" . -}}
{{- include "relay.checkLogins" . -}}
{{- end -}}
{{- include "relay.checkNames" . -}}
{{- end -}}

{{/* What services, topics and tests must agree on is said once. */}}
{{- define "relay.checkShared" -}}
{{- $variables := list -}}
{{- range (.Files.Get "files/topics.json" | fromJson).topics -}}
{{- with .variable -}}{{- $variables = append $variables . -}}{{- end -}}
{{- end -}}
{{- range $name := .facts.services -}}
{{- $values := (get $.Subcharts $name | default dict).Values | default dict | toJson | fromJson -}}
{{- $prefix := dig "kafka" "prefix" "" $values -}}
{{- if and $prefix (ne $prefix $.Values.global.kafka.prefix) -}}
{{- include "lib.fail" (list $ (printf "%s.kafka.prefix is %s, but topics and tests go by global.kafka.prefix (%q); set it there" $name $prefix $.Values.global.kafka.prefix)) -}}
{{- end -}}
{{- range $variable := $variables -}}
{{- $own := get (dig "config" dict $values) $variable -}}
{{- if and $own (ne $own (get ($.Values.global.config | default dict) $variable)) -}}
{{- include "lib.fail" (list $ (printf "%s.config.%s is %s, which the other services and the topics would not know; set it as global.config.%s" $name $variable $own $variable)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Topics and tests have a login of their own, or that of all. */}}
{{- define "relay.checkLogins" -}}
{{- $sasl := .Values.global.kafka.sasl -}}
{{- range $place, $own := dict "kafka.topics" .Values.kafka.topics.sasl "tasks.kafka" .Values.tasks.kafka.sasl -}}
{{- if and (eq $sasl.mechanism "none") (or $own.username $own.password) -}}
{{- include "lib.fail" (list $ (printf "%s.sasl gives a login at the brokers, but global.kafka.sasl.mechanism is none" $place)) -}}
{{- end -}}
{{- if and $own.username (not $own.password) $sasl.password -}}
{{- include "lib.fail" (list $ (printf "%s.sasl.username is %s, but its password is that of global.kafka.sasl; give %s.sasl.password" $place $own.username $place)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A task that logs in has a user: context of the chart, that of the task, place of its own login. */}}
{{- define "relay.checkUser" -}}
{{- $sasl := (index . 1).Values.kafka.sasl -}}
{{- if and (ne $sasl.mechanism "none") (not $sasl.username) -}}
{{- include "lib.fail" (list (index . 0) (printf "global.kafka.sasl.mechanism is %s, but neither global.kafka.sasl.username nor %s.sasl.username is set" $sasl.mechanism (index . 2))) -}}
{{- end -}}
{{- end -}}

{{/* No two parts have objects of one name: a release may be called like one part, not like two. */}}
{{- define "relay.checkNames" -}}
{{- $taken := dict -}}
{{- $parts := dict -}}
{{- range $name := list "ranger-relay" "topics" "test-doctor" "test-probe" -}}
{{- $_ := set $parts $name (dict "Values" dict "Chart" (dict "Name" $name) "Release" $.Release) -}}
{{- end -}}
{{- range $name, $chart := merge $parts .Subcharts -}}
{{- if not (and $.Values.embedded.enabled (has $name $.facts.services)) -}}
{{- $full := include "lib.fullname" $chart -}}
{{- with get $taken $full -}}
{{- include "lib.fail" (list $ (printf "%s and %s would both be called %s; give the release another name than %s" . $name $full $.Release.Name)) -}}
{{- end -}}
{{- $_ := set $taken $full $name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "relay.checkEmbedded" -}}
{{- $global := .Values.global -}}
{{- if $global.kafka.brokers -}}
{{- include "lib.fail" (list . "embedded.enabled is true, but global.kafka.brokers names brokers; one process keeps its own bus, so remove one of them") -}}
{{- end -}}
{{- if or $global.redis.host $global.redis.sentinels.nodes -}}
{{- include "lib.fail" (list . "embedded.enabled is true, but global.redis names a store; one process keeps its own, so remove one of them") -}}
{{- end -}}
{{- if ne .Values.kafka.topics.mode "job" -}}
{{- include "lib.fail" (list . (printf "embedded.enabled is true, but kafka.topics.mode is %s; one process has no topics on Kafka" .Values.kafka.topics.mode)) -}}
{{- end -}}
{{- $set := list -}}
{{- $unset := list -}}
{{- range list "apiUrl" "sensorsUrl" "tokenUrl" "clientId" -}}
{{- if get $global.platform . -}}{{- $set = append $set . -}}{{- else -}}{{- $unset = append $unset . -}}{{- end -}}
{{- end -}}
{{- if ($global.platform.clientSecret | default dict).name -}}{{- $set = append $set "clientSecret" -}}{{- end -}}
{{- if and $set $unset -}}
{{- include "lib.fail" (list . (printf "global.platform.%s is not set, but global.platform.%s is; a real platform needs all of them, a simulated one none" (first $unset) (first $set))) -}}
{{- end -}}
{{- $ingress := .Values.embedded.ingress -}}
{{- if and $ingress.enabled (not $ingress.hosts) -}}
{{- include "lib.fail" (list . "embedded.ingress.enabled is true, but embedded.ingress.hosts names no host") -}}
{{- end -}}
{{- if and .Values.embedded.httpRoute.enabled (not .Values.embedded.httpRoute.parentRefs) -}}
{{- include "lib.fail" (list . "embedded.httpRoute.enabled is true, but embedded.httpRoute.parentRefs names no Gateway") -}}
{{- end -}}
{{- $persistence := .Values.embedded.persistence -}}
{{- if and $persistence.existingClaim (not $persistence.enabled) -}}
{{- include "lib.fail" (list . "embedded.persistence.existingClaim is given, but embedded.persistence.enabled is false; set it to true") -}}
{{- end -}}
{{- end -}}

{{/* Kubernetes refuses another claim template in a StatefulSet that is there, in words that name no value. */}}
{{- define "relay.checkVolume" -}}
{{- $there := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "lib.fullname" .) -}}
{{- if $there -}}
{{- $wanted := .Values.persistence -}}
{{- $claim := first ($there.spec.volumeClaimTemplates | default (list dict)) -}}
{{- $claims := and $wanted.enabled (not $wanted.existingClaim) -}}
{{- $how := "Kubernetes changes no claim of a StatefulSet that is there; UPGRADING.md says how it is done" -}}
{{- if ne $claims (not (empty $claim)) -}}
{{- include "lib.fail" (list . (printf "embedded.persistence.enabled and existingClaim would give the installed release another volume; %s" $how)) -}}
{{- end -}}
{{- if $claims -}}
{{- $size := $claim.spec.resources.requests.storage -}}
{{- if ne (include "lib.amount" $size) (include "lib.amount" $wanted.size) -}}
{{- include "lib.fail" (list . (printf "embedded.persistence.size is %s, but the installed release has %s; %s" $wanted.size $size $how)) -}}
{{- end -}}
{{- $class := dig "spec" "storageClassName" "" $claim -}}
{{- if ne $class $wanted.storageClassName -}}
{{- include "lib.fail" (list . (printf "embedded.persistence.storageClassName is %q, but the installed release has %q; %s" $wanted.storageClassName $class $how)) -}}
{{- end -}}
{{- if ne (dig "metadata" "annotations" dict $claim | toJson) ($wanted.annotations | toJson) -}}
{{- include "lib.fail" (list . (printf "embedded.persistence.annotations are others than those of the installed release; %s" $how)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "relay.checkTopics" -}}
{{- $topics := .Values.kafka.topics -}}
{{- $strimzi := $topics.strimzi -}}
{{- if and (eq $topics.mode "strimzi") (not $strimzi.cluster) -}}
{{- include "lib.fail" (list . "kafka.topics.mode is strimzi, but kafka.topics.strimzi.cluster does not name the Kafka") -}}
{{- end -}}
{{- if and (ne $topics.mode "strimzi") (or $strimzi.cluster $strimzi.users.enabled) -}}
{{- include "lib.fail" (list . (printf "kafka.topics.strimzi is given, but kafka.topics.mode is %s; set it to strimzi" $topics.mode)) -}}
{{- end -}}
{{- if $strimzi.users.enabled -}}
{{- include "relay.checkUsers" . -}}
{{- end -}}
{{- /* The library of templates is there always. */ -}}
{{- if not (omit .Subcharts "lib") -}}
{{- include "lib.fail" (list . "every service is switched off, and embedded.enabled is false, so there is nothing to install") -}}
{{- end -}}
{{- end -}}

{{/* Users that Strimzi makes: the logins are theirs, and no Secret of ours is called like one, which it would replace. */}}
{{- define "relay.checkUsers" -}}
{{- $users := list -}}
{{- range (.Files.Get "files/topics.json" | fromJson).users -}}
{{- $users = append $users (include "relay.strimziName" (printf "%s%s" $.Values.global.kafka.prefix .user)) -}}
{{- end -}}
{{- with .Values.tasks.kafka.sasl.username -}}
{{- if not (has . $users) -}}
{{- include "lib.fail" (list $ (printf "tasks.kafka.sasl.username is %s, but Strimzi makes %s (kafka.topics.strimzi.users.enabled)" . (join ", " $users))) -}}
{{- end -}}
{{- end -}}
{{- if eq (include "relay.strimziNamespace" .) .Release.Namespace -}}
{{- range $scope := prepend .facts.services "global" -}}
{{- $values := get $.Values $scope | default dict -}}
{{- $paths := list "secretName" "redis.password.name" "redis.sentinels.password.name" "platform.clientSecret.name" -}}
{{- range $variable, $_ := get $values "secrets" | default dict -}}
{{- $paths = append $paths (printf "secrets.%s.name" $variable) -}}
{{- end -}}
{{- range $paths -}}
{{- $found := dict -}}
{{- include "lib.at" (list $values . $found) -}}
{{- if has $found.value $users -}}
{{- include "lib.fail" (list $ (printf "%s.%s: a Secret is called %s, which is also a user: Strimzi would replace it by its own; give yours another name" $scope . $found.value)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
